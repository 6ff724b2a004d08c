import { z } from "zod";

/** Go takes null and "" for absent; so do we. */
const text = z
  .string("expected a string; quote it if it looks like a number")
  .nullish()
  .transform((value) => value || null);
const flag = z
  .boolean("expected true or false")
  .nullish()
  .transform((value) => value ?? false);
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item, "expected a list")
    .nullish()
    .transform((value) => value ?? []);
const required = (what: string) => z.string(`expected ${what}`).min(1, `expected ${what}`);
const optionalObject = <T extends z.ZodRawShape>(shape: T) =>
  z
    .object(shape, "expected a mapping")
    .nullish()
    .transform((value) => value ?? null);

const ClusterSchema = z.object(
  {
    server: required("the URL of the API server"),
    "tls-server-name": text,
    "insecure-skip-tls-verify": flag,
    "certificate-authority": text,
    "certificate-authority-data": text,
    "proxy-url": text,
    "disable-compression": flag,
    extensions: list(z.object({ name: required("a name"), extension: z.unknown() })),
  },
  "expected a mapping with the server",
);

const ExecSchema = optionalObject({
  apiVersion: required("client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1"),
  command: required("a command"),
  args: list(z.string("expected a string")),
  env: list(z.object({ name: required("a name"), value: z.string("expected a string") })),
  installHint: text,
  provideClusterInfo: flag,
  interactiveMode: z
    .enum(["Never", "IfAvailable", "Always"], "expected Never, IfAvailable or Always")
    .nullish()
    .transform((value) => value ?? "IfAvailable"),
});

const UserSchema = optionalObject({
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  exec: ExecSchema,
  "auth-provider": optionalObject({
    name: required("a name"),
    config: optionalObject({ "id-token": text }),
  }),
  as: text,
  "as-uid": text,
  "as-groups": list(z.string("expected a string")),
  "as-user-extra": z
    .record(z.string(), list(z.string("expected a string")), "expected a mapping")
    .nullish()
    .transform((value) => value ?? {}),
});

const ContextSchema = z.object(
  { cluster: required("the name of a cluster"), user: text, namespace: text },
  "expected a mapping with the cluster",
);

/** The outermost level of a kubeconfig. Entries are checked one by one, so that a broken one hides no other. */
export const KubeconfigSchema = z.object(
  {
    kind: z.literal("Config", "expected kind: Config").nullish(),
    "current-context": text,
    clusters: list(z.unknown()),
    users: list(z.unknown()),
    contexts: list(z.unknown()),
  },
  "expected a kubeconfig: a mapping with clusters, users and contexts",
);

/** One entry each; fields that we do not read are left alone. Values never get into an error message. */
export const ClusterEntrySchema = z.object(
  { name: required("a name"), cluster: ClusterSchema },
  "expected a name and a cluster",
);
export const UserEntrySchema = z.object(
  { name: required("a name"), user: UserSchema },
  "expected a name and a user",
);
export const ContextEntrySchema = z.object(
  { name: required("a name"), context: ContextSchema },
  "expected a name and a context",
);

export type KubeconfigCluster = z.output<typeof ClusterEntrySchema>;
export type KubeconfigUser = z.output<typeof UserEntrySchema>;
