import { z } from "zod";
import { CATALOGUE_CATEGORIES, type CatalogueEntry } from "../domain/agents/catalogue/catalogue-entry.ts";
import { compareAgentVersions } from "../domain/agents/image-reference.ts";
import { parseInformersAnnotation } from "../domain/agents/informers-annotation.ts";

const text = (describe: string) => z.string().min(1).max(500).describe(describe);

const Pattern = z
  .string()
  .min(1)
  .max(300)
  .refine((pattern) => isExpression(pattern), { error: "a regular expression" });

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Says what is wrong in a text of the annotation's language, with its place. */
const describeProblem = (what: string) => {
  const [problem] = parseInformersAnnotation(what).problems;
  return problem === undefined ? null : `${problem.expected} ("${problem.found}", column ${problem.column})`;
};

const What = z
  .string()
  .min(1)
  .max(500)
  .superRefine((what, context) => {
    const parsed = parseInformersAnnotation(what);
    const problem = describeProblem(what);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
    else if (parsed.informers.length !== 1) context.addIssue({ code: "custom", message: "one informer" });
  })
  .describe(
    "One informer in the language of the annotation headroom.dev/informers: pods@node protobuf, nodes poll=60s.",
  );

const Client = z
  .string()
  .min(1)
  .max(200)
  .superRefine((client, context) => {
    const problem = describeProblem(`client ${client}`);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  })
  .describe(
    "Client library, with its version where it is known: client-go/0.34.1 qps=50 burst=100, or other.",
  );

const Condition = z
  .strictObject({
    argument: text("A flag of its command line, with or without dashes.").optional(),
    variable: text("A variable of its environment.").optional(),
    config: Pattern.describe(
      "A regular expression that its configuration matches; any case, over lines.",
    ).optional(),
    value: Pattern.describe(
      "A regular expression that the whole value of the flag or variable matches.",
    ).optional(),
    absent: z.boolean().describe("True: it holds where that is not so.").optional(),
    assume: z
      .boolean()
      .describe("The answer where nothing tells, as of a cluster whose arguments are not read."),
  })
  .refine(
    ({ argument, variable, config }) =>
      [argument, variable, config].filter((each) => each !== undefined).length === 1,
    { error: "one of argument, variable and config" },
  )
  .refine(({ config, value }) => config === undefined || value === undefined, {
    error: "no value beside config",
  });

const Citation = z
  .strictObject({
    repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, { error: "owner/name on GitHub" }),
    path: text("Path of the file in which its informers are created."),
    release: z
      .string()
      .regex(/^([0-9a-f]{40}|[\w.+/-]*\d[\w.+/-]*)$/, { error: "a tag, or a commit of 40 hex digits" }),
  })
  .describe("Where the claim can be read. Without one it counts as bounded.");

const Read = z.strictObject({
  what: What,
  when: z.array(Condition).min(1).describe("All must hold.").optional(),
  crd: z.boolean().describe("True for what a kube-apiserver does not serve by itself.").optional(),
  citation: Citation.optional(),
});

const AgentVersion = z
  .string()
  .max(50)
  .refine((version) => compareAgentVersions(version, "0") !== null, { error: "a version such as 1.14" });

const Version = z.strictObject({
  from: AgentVersion.describe("First version that it holds for.").optional(),
  before: AgentVersion.describe("First version that it holds for no more.").optional(),
  client: Client,
  reads: z.array(Read).max(200),
  citation: Citation.optional(),
  note: text("What else is to be known of it.").optional(),
});

const Entry = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: "lower case with dashes" }),
  title: text("Its name."),
  category: z.enum(CATALOGUE_CATEGORIES),
  images: z
    .array(
      z
        .string()
        .regex(/^[a-z0-9*][a-z0-9*._/-]*$/, { error: "the end of a repository, such as fluent/fluent-bit" }),
    )
    .max(50)
    .describe("Ends of the repositories of its images, by whole path segments; * within one."),
  examples: z.array(text("A published image that it matches.")).max(50),
  userName: text("The user it is, where it has no ServiceAccount.").optional(),
  versions: z
    .array(Version)
    .min(1)
    .superRefine((versions, context) => {
      for (const [at, { from, before }] of versions.entries()) {
        if (from !== undefined && before !== undefined && (compareAgentVersions(from, before) ?? 0) >= 0) {
          context.addIssue({ code: "custom", path: [at, "before"], message: `a version after ${from}` });
        }
        const next = versions[at + 1];
        if (
          next !== undefined &&
          (next.from === undefined || (compareAgentVersions(from ?? "0", next.from) ?? 0) >= 0)
        ) {
          context.addIssue({
            code: "custom",
            path: [at + 1, "from"],
            message: "ranges in order, newest last",
          });
        }
      }
    })
    .describe("Newest last."),
}) satisfies z.ZodType<CatalogueEntry>;

/** A file of catalogue entries: the published ones, and those that people add. */
export const AgentCatalogueSchema = z
  .array(Entry)
  .superRefine((entries, context) => {
    const seen = new Set<string>();
    for (const [at, { id }] of entries.entries()) {
      if (seen.has(id))
        context.addIssue({
          code: "custom",
          path: [at, "id"],
          message: `an id of its own: ${id} is there twice`,
        });
      seen.add(id);
    }
  })
  .meta({ title: "Catalogue of agents", description: "Agents and what they read from the API server." });
