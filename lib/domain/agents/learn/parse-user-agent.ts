import type { AgentClient } from "../agent.ts";

/** What a user agent tells of the program and of the library by which it talks to the API server. */
export interface UserAgentFacts {
  /** The program without its version, by which an agent's requests are kept together: `kubelet`, `fluent-bit`. */
  readonly family: string;
  /** Of the program; `null`: not told. */
  readonly version: string | null;
  readonly library: AgentClient["library"];
  /** Of the library, a version of Kubernetes or of client-go; `null`: not told. */
  readonly libraryVersion: string | null;
  /** The library for people: `client-go`, `fabric8 (Java)`, `not known`. */
  readonly make: string;
}

/** Components of Kubernetes whose user agent carries the version of Kubernetes, and with it of client-go. */
const COMPONENTS = ["kubelet", "kube-proxy", "kube-controller-manager", "kube-scheduler"] as const;
/** Others that are built with the version of Kubernetes. */
const BUILT_WITH_KUBERNETES = new Set([
  "kubectl",
  "kubeadm",
  "kube-apiserver",
  "cloud-controller-manager",
  "hyperkube",
]);

/** What client-go sends where the program sets nothing: `name/version (os/arch) kubernetes/commit`. */
const CLIENT_GO = /^(\S+)\/(\S+) \([^()/]+\/[^()]+\) kubernetes\/(\S+)/;
const NO_VERSION = "v0.0.0";
const MAX_FAMILY_CHARACTERS = 80;
/** What stands beyond tells nothing more. */
const MAX_CHARACTERS = 512;

/**
 * Libraries that name themselves. Sources: client-go rest/config.go, v0.34; fabric8io/kubernetes-client Config.java, 6 and
 * 7; kubernetes-client/java ApiClient.java; the Python client's generator; kubernetes-client/javascript, from January 2026
 * on. kube-rs and the .NET client send nothing of their own unless they are told to.
 */
const MAKES: readonly (readonly [RegExp, string])[] = [
  [/fabric8-kubernetes-client\//i, "fabric8 (Java)"],
  [/Kubernetes Java Client/i, "Kubernetes Java client"],
  [/(?:OpenAPI-Generator|Swagger-Codegen)\/[^/\s]+\/python/i, "Kubernetes Python client"],
  [/(?:OpenAPI-Generator|Swagger-Codegen)\/[^/\s]+\/java\b/i, "Kubernetes Java client"],
  [/kubernetes-javascript-client\//i, "Kubernetes JavaScript client"],
  [/\bkube-rs\b/i, "kube-rs (Rust)"],
  [/\bKubernetesClient\//i, "Kubernetes .NET client"],
  [/^okhttp\//i, "a Java program (OkHttp)"],
  [/^python-(?:requests|urllib3|httpx)\//i, "a Python program"],
  [/^(?:aiohttp|Python\/)/i, "a Python program"],
  [/^(?:node-fetch|axios|undici|got)\b/i, "a JavaScript program"],
  [/^Go-http-client\//, "a Go program without client-go's user agent"],
  [/^(?:curl|Wget)\//i, "a person or script"],
  [/^Mozilla\//, "a browser, or a client behind one"],
];
const NOT_KNOWN = "not known";

/**
 * Reads a user agent, which its client chose freely. controller-runtime sends what client-go does, so that the two are
 * not told apart; nor is the version of client-go told where the program is not built with that of Kubernetes.
 */
export function parseUserAgent(sent: string): UserAgentFacts {
  const userAgent = sent.slice(0, MAX_CHARACTERS);
  const byClientGo = CLIENT_GO.exec(userAgent);
  if (byClientGo !== null) return parseClientGo(byClientGo[1] ?? "", byClientGo[2] ?? "");
  const clientGoVersion = /\bclient-go\/v?(0\.\d+\.\d+)/.exec(userAgent)?.[1];
  const product = /^([^/\s]+)(?:\/([^\s/]+))?/.exec(userAgent);
  const make = MAKES.find(([pattern]) => pattern.test(userAgent))?.[1];
  return {
    family: familyOf(userAgent, product?.[1] ?? ""),
    version: make === undefined ? versionOf(product?.[2]) : null,
    library: clientGoVersion === undefined ? "other" : "client-go",
    libraryVersion: clientGoVersion === undefined ? null : `v${clientGoVersion}`,
    make: clientGoVersion === undefined ? (make ?? NOT_KNOWN) : "client-go",
  };
}

function parseClientGo(name: string, version: string): UserAgentFacts {
  const component = COMPONENTS.find((each) => each === name);
  const isKubernetes = component !== undefined || BUILT_WITH_KUBERNETES.has(name);
  const own = versionOf(version);
  return {
    family: name.slice(0, MAX_FAMILY_CHARACTERS),
    version: own,
    library: component ?? "client-go",
    libraryVersion: isKubernetes ? own : null,
    make: component ?? "client-go",
  };
}

function familyOf(userAgent: string, product: string): string {
  if (userAgent === "") return "";
  if (/^Kubernetes Java Client/i.test(userAgent)) return "Kubernetes Java Client";
  const generated = /^(OpenAPI-Generator|Swagger-Codegen)\/[^/\s]+\/(\w+)/i.exec(userAgent);
  if (generated !== null) return `${generated[1]}/${generated[2]}`;
  return (product === "" ? userAgent : product).slice(0, MAX_FAMILY_CHARACTERS);
}

/** `v0.0.0` is what client-go says where nobody set a version. */
function versionOf(text: string | undefined): string | null {
  if (text === undefined || text === NO_VERSION || !/\d/.test(text)) return null;
  return text.replace(/^v(?=\d)/, "");
}
