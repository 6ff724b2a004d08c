import { fileURLToPath } from "node:url";

/** Folder of package.json. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
