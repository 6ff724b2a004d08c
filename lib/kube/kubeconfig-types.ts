/** Who named a kubeconfig. Only what an operator named may start programs; what came from the page never does. */
export type KubeconfigSource = "flag" | "environment" | "configuration-file" | "in-cluster" | "page";

/** One kubeconfig, or several that are merged as kubectl merges those of `KUBECONFIG`. */
export interface KubeconfigInput {
  /** Files in order of precedence. */
  readonly paths: readonly string[];
  /** Names of contexts, or `["*"]` for all. Absent: the current context. */
  readonly contexts?: readonly string[];
  readonly source: KubeconfigSource;
}

/** How a context authenticates. */
export type CredentialKind =
  | "client-certificate"
  | "token"
  | "token-file"
  | "exec"
  | "oidc"
  | "basic"
  | "none";
