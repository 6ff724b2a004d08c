import { z } from "zod";

/** Why a parser of ours refused a value, in words: the place of the first issue, never the value. */
export function describeProblem(error: unknown): string {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : "it was refused";
  const issue = error.issues[0];
  return issue === undefined ? "it was refused" : `${issue.path.join(".") || "the whole"}: ${issue.message}`;
}

/** The caller that gives no parser asks for what JSON.parse gives, and says which type it takes that for. */
export function asIs<T>(value: unknown): T {
  return value as T;
}
