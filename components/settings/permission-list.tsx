import { Instant } from "@/components/time/instant";
import { SeverityMark } from "@/components/ui/severity";
import type { PermissionCheck } from "@/lib/contracts/settings";

const STATES = {
  granted: { kind: "ok", word: "granted" },
  refused: { kind: "error", word: "refused" },
  "not-tried": { kind: "unknown", word: "not tried" },
} as const;

/** Every rule of the role: granted, refused or not tried, and what is missing on the pages without it. */
export function PermissionList({
  permissions,
  caption,
}: {
  permissions: readonly PermissionCheck[];
  caption: string;
}) {
  return (
    <div className="scroll-x">
      <table className="table compact">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            <th scope="col">State</th>
            <th scope="col" className="n">
              Checked
            </th>
            <th scope="col">Without it</th>
          </tr>
        </thead>
        <tbody>
          {permissions.map(({ id, permission, state, at, withoutIt }) => (
            <tr key={id}>
              <th scope="row" className="font-mono text-s">
                {permission}
              </th>
              <td>
                <SeverityMark kind={STATES[state].kind} word={STATES[state].word} isQuiet />
              </td>
              <td className="n text-fg-3">{at === null ? "–" : <Instant at={at} look="clock" />}</td>
              <td className="wrap text-fg-2">{withoutIt}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** `12 of 14 granted, 1 refused`; of a cluster that no pass has reached, no count. */
export function countPermissions(permissions: readonly PermissionCheck[]): string {
  const count = (state: PermissionCheck["state"]) =>
    permissions.filter((check) => check.state === state).length;
  const refused = count("refused");
  const notTried = count("not-tried");
  if (notTried === permissions.length) return "not tried yet";
  return [
    `${count("granted")} of ${permissions.length} granted`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(notTried > 0 ? [`${notTried} not tried`] : []),
  ].join(", ");
}
