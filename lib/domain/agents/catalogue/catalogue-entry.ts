/** Kinds of agents, as people look for them. */
export const CATALOGUE_CATEGORIES = [
  "logs",
  "metrics",
  "traces",
  "network",
  "storage",
  "mesh",
  "policy",
  "security",
  "gpu",
  "gitops",
  "dns",
  "certificates",
  "autoscaling",
  "control-plane",
  "nodes",
  "ingress",
  "platform",
] as const;
export type CatalogueCategory = (typeof CATALOGUE_CATEGORIES)[number];

/**
 * Something of a container that changes what it reads. Exactly one of `argument`, `variable` and `config` is given.
 * `assume` is the answer where it cannot be told, as of stored inventory, which holds no arguments.
 */
export interface CatalogueCondition {
  /** A flag with or without dashes: `node-name`. */
  readonly argument?: string | undefined;
  /** A variable of the environment. */
  readonly variable?: string | undefined;
  /** A regular expression that the text of its configuration (or of an argument) matches, over several lines, any case. */
  readonly config?: string | undefined;
  /** A regular expression that the whole value of the flag or variable matches; absent: it is there, whatever its value. */
  readonly value?: string | undefined;
  /** True: the condition holds where that is not so. */
  readonly absent?: boolean | undefined;
  readonly assume: boolean;
}

/** Where a claim can be read. */
export interface CatalogueCitation {
  /** `owner/name` on GitHub. */
  readonly repository: string;
  readonly path: string;
  /** A tag, or a commit of 40 hex digits. */
  readonly release: string;
}

/** One thing that it reads. */
export interface CatalogueRead {
  /** In the language of the annotation `headroom.dev/informers`: `pods@node protobuf`. */
  readonly what: string;
  /** All must hold; absent: always. */
  readonly when?: readonly CatalogueCondition[] | undefined;
  /** True for a resource of a CustomResourceDefinition or an aggregated API, which a cluster may lack. */
  readonly crd?: boolean | undefined;
  /** Where it differs from that of the version. */
  readonly citation?: CatalogueCitation | undefined;
}

/** What a range of versions reads. */
export interface CatalogueVersion {
  /** First version that it holds for; absent: from the first. */
  readonly from?: string | undefined;
  /** First version that it holds for no more; absent: none known. */
  readonly before?: string | undefined;
  /** In the language of the annotation: `client-go/0.34.1 qps=50 burst=100`, `other`. */
  readonly client: string;
  readonly reads: readonly CatalogueRead[];
  /** Absent: nobody has read where its informers are created, and all of it counts as bounded. */
  readonly citation?: CatalogueCitation | undefined;
  /** What else is to be known of it, a sentence or two. */
  readonly note?: string | undefined;
}

/** A published agent. */
export interface CatalogueEntry {
  /** Lower case with dashes, unique. */
  readonly id: string;
  readonly title: string;
  readonly category: CatalogueCategory;
  /**
   * Ends of the repositories of its images, by whole path segments, `*` for any characters within one:
   * `fluent/fluent-bit`, `*\/csi-node`. Empty for what runs from no image.
   */
  readonly images: readonly string[];
  /** Published images that it matches, as they are pulled. */
  readonly examples: readonly string[];
  /** The user it is, where it has no ServiceAccount: `system:kube-scheduler`. */
  readonly userName?: string | undefined;
  /** Newest last. */
  readonly versions: readonly CatalogueVersion[];
}
