import { z } from "zod";
import { parseByteQuantity, parseDurationSeconds } from "./quantity.ts";

const bytes = z
  .union([z.number(), z.string()], { error: "bytes, as a number or a quantity such as 256Mi" })
  .transform((value, context) => {
    const parsed = parseByteQuantity(String(value));
    if (parsed !== null) return parsed;
    context.addIssue({ code: "custom", message: "bytes, as a number or a quantity such as 256Mi" });
    return z.NEVER;
  });

const duration = z.string({ error: "a duration such as 2h or 14d" }).transform((value, context) => {
  const parsed = parseDurationSeconds(value);
  if (parsed !== null) return parsed;
  context.addIssue({ code: "custom", message: "a duration such as 2h or 14d" });
  return z.NEVER;
});

const text = (expected: string) => z.string({ error: expected }).trim().min(1, expected);
const whole = (min: number, max: number) => {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, error).max(max, error);
};

export const PORT_SCHEMA = whole(1, 65_535);
export const REQUESTS_PER_MINUTE_SCHEMA = whole(1, 100_000);
export const BYTES_SCHEMA = bytes;
export const DURATION_SCHEMA = duration;
export const BASE_URL_SCHEMA = text("an origin such as https://headroom.example.com, or null").refine(
  (value) => {
    const url = URL.parse(value);
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username === "" &&
      url.password === "" &&
      `${url.origin}/` === url.href
    );
  },
  "an origin such as https://headroom.example.com: scheme, host, perhaps a port, nothing else",
);
export const ACCESS_MODE_SCHEMA = z.enum(["none", "proxy", "oidc"], { error: "none, proxy or oidc" });

const KubeconfigSchema = z.strictObject({
  path: text("the path of a kubeconfig"),
  contexts: z
    .array(text("the name of a context, or * for all"), { error: 'a list of contexts, or ["*"] for all' })
    .min(1, 'at least one context, or ["*"] for all')
    .optional(),
});

const WaiverSchema = z.strictObject({
  rule: text("a rule name such as collector.insecure-tls"),
  subject: text("the subject of the finding").optional(),
  reason: text("a reason"),
  until: z.iso.date({ error: 'a day such as "2027-01-31", in quotes' }),
});

/**
 * The shape of `headroom.yaml`, every member optional, unknown keys refused. Members of areas to come are accepted and
 * checked as documented.
 */
export const ConfigFileSchema = z.strictObject({
  clusters: z
    .strictObject({
      kubeconfigs: z.array(KubeconfigSchema, { error: "a list of kubeconfigs, each with a path" }).optional(),
      inCluster: z.boolean({ error: "true or false" }).optional(),
      labels: z
        .record(
          z.string(),
          z.record(z.string(), z.string({ error: "a label value in text" }), {
            error: "labels of one cluster, as key: value",
          }),
          { error: "labels by cluster name, such as { prod-us-east: { role: production } }" },
        )
        .optional(),
      budget: z
        .strictObject({
          requestsPerMinute: REQUESTS_PER_MINUTE_SCHEMA.optional(),
          bytesPerMinute: BYTES_SCHEMA.optional(),
        })
        .optional(),
    })
    .optional(),
  store: z
    .strictObject({
      url: text('a URL such as "file:./data/headroom.db"').optional(),
    })
    .optional(),
  server: z
    .strictObject({
      address: text("a loopback address such as 127.0.0.1").optional(),
      port: PORT_SCHEMA.optional(),
      baseUrl: BASE_URL_SCHEMA.nullable().optional(),
    })
    .optional(),
  audit: z
    .strictObject({
      webhook: z
        .strictObject({
          enabled: z.boolean({ error: "true or false" }).optional(),
          tokenFile: text("the path of a file with a bearer token, or null").nullable().optional(),
        })
        .optional(),
    })
    .optional(),
  access: z.strictObject({ mode: ACCESS_MODE_SCHEMA.optional() }).optional(),
  retention: z
    .strictObject({
      fine: DURATION_SCHEMA.optional(),
      fiveMinutes: DURATION_SCHEMA.optional(),
      hourly: DURATION_SCHEMA.optional(),
      scrapes: DURATION_SCHEMA.optional(),
      incidents: DURATION_SCHEMA.optional(),
    })
    .optional(),
  detection: z
    .strictObject({
      paths: z
        .array(z.strictObject({ name: text("a name"), seconds: whole(1, 31_536_000) }), {
          error: "a list of detection paths, each with name and seconds",
        })
        .optional(),
    })
    .optional(),
  agents: z
    .strictObject({
      catalogue: z
        .array(text("the path of a catalogue"), {
          error: 'a list of catalogues of agents, such as ["./agents.yaml"]',
        })
        .optional(),
    })
    .optional(),
  policy: z
    .strictObject({
      approvers: whole(1, 20).optional(),
      requireEvidence: z
        .enum(["measured", "declared", "catalogued", "bounded"], {
          error: "measured, declared, catalogued or bounded",
        })
        .optional(),
      maxDrainSeconds: whole(1, 86_400).optional(),
      waivers: z
        .array(WaiverSchema, { error: "a list of waivers, each with rule, reason and until" })
        .optional(),
    })
    .optional(),
});
export type ConfigFile = z.infer<typeof ConfigFileSchema>;
