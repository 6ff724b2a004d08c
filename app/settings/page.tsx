import { redirect } from "next/navigation";

/** Settings begin with the clusters. */
export default function Page() {
  redirect("/settings/clusters");
}
