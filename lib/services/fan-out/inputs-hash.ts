import { createHash } from "node:crypto";

/** Of what a projection was made from: equal as long as it holds. */
export const hashOfInputs = (key: string): string =>
  createHash("sha256").update(key).digest("base64url").slice(0, 22);
