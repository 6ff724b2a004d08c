/**
 * Makes an audit log as a cluster of 2,000 nodes writes it at level Metadata, with some bodies where wanted, in the
 * order of time and without an end. Blocks of events are made once; then only their IDs and times are written anew.
 */

const BLOCK_EVENTS = 20_000;
const EVENTS_PER_SECOND = 2000;
const NODES = 2000;
const START = Date.UTC(2026, 2, 2, 9);

/** One kind of request; `weight` of all. */
interface Kind {
  readonly weight: number;
  readonly make: (turn: number) => GeneratedRequest;
}

interface GeneratedRequest {
  readonly verb: string;
  readonly uri: string;
  readonly user: string;
  readonly userAgent: string;
  readonly pod?: string;
  readonly resource: string;
  readonly apiGroup?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly code?: number;
}

const GENERATED = "bcdfghjklmnpqrstvwxz";
const podSuffix = (n: number): string =>
  Array.from({ length: 5 }, (_, i) => GENERATED[Math.floor(n / 20 ** i) % 20]).join("");
const node = (turn: number) => `node-${String(turn % NODES).padStart(4, "0")}`;
const hex = (n: number) => (n >>> 0).toString(16).padStart(8, "0");

const agentOf = (name: string, namespace: string, turn: number) => ({
  user: `system:serviceaccount:${namespace}:${name}`,
  userAgent: `${name}/v0.0.0 (linux/amd64) kubernetes/$Format`,
  pod: `${name}-${podSuffix(turn % NODES)}`,
});

const KINDS: readonly Kind[] = [
  {
    weight: 25,
    make: (turn) => ({
      verb: "watch",
      uri: `/api/v1/pods?allowWatchBookmarks=true&fieldSelector=spec.nodeName%3D${node(turn)}&resourceVersion=${700_000_000 + turn}&timeoutSeconds=${300 + (turn % 300)}&watch=true`,
      user: `system:node:${node(turn)}`,
      userAgent: "kubelet/v1.34.2 (linux/amd64) kubernetes/1a2b3c4",
      resource: "pods",
    }),
  },
  {
    weight: 20,
    make: (turn) => ({
      verb: "update",
      uri: `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node(turn)}?timeout=10s`,
      user: `system:node:${node(turn)}`,
      userAgent: "kubelet/v1.34.2 (linux/amd64) kubernetes/1a2b3c4",
      resource: "leases",
      apiGroup: "coordination.k8s.io",
      namespace: "kube-node-lease",
      name: node(turn),
    }),
  },
  {
    weight: 20,
    make: (turn) => ({
      verb: "list",
      uri: `/api/v1/pods?fieldSelector=spec.nodeName%3D${node(turn)}&limit=500&resourceVersion=0`,
      ...agentOf("log-shipper", "observability", turn),
      resource: "pods",
    }),
  },
  {
    weight: 10,
    make: (turn) => ({
      verb: "list",
      uri: "/api/v1/pods",
      ...agentOf("node-telemetry", "observability", turn),
      resource: "pods",
      code: turn % 50 === 0 ? 429 : 200,
    }),
  },
  {
    weight: 10,
    make: (turn) => ({
      verb: "watch",
      uri: `/apis/discovery.k8s.io/v1/endpointslices?allowWatchBookmarks=true&labelSelector=%21service.kubernetes.io%2Fheadless&resourceVersion=${700_000_000 + turn}&timeoutSeconds=${300 + (turn % 300)}&watch=true`,
      ...agentOf("mesh-proxy", "mesh", turn),
      resource: "endpointslices",
      apiGroup: "discovery.k8s.io",
    }),
  },
  {
    weight: 10,
    make: (turn) => ({
      verb: "get",
      uri: `/api/v1/namespaces/team-${turn % 300}/configmaps/settings-${turn % 40}`,
      user: `system:serviceaccount:team-${turn % 300}:app`,
      userAgent: "python-requests/2.32.3",
      pod: `app-7d9f6c4b58-${podSuffix(turn % 4000)}`,
      resource: "configmaps",
      namespace: `team-${turn % 300}`,
      name: `settings-${turn % 40}`,
    }),
  },
  {
    weight: 5,
    make: (turn) => ({
      verb: "patch",
      uri: `/api/v1/namespaces/team-${turn % 300}/pods/web-${turn % 5000}/status`,
      user: "system:kube-controller-manager",
      userAgent: "kube-controller-manager/v1.34.2 (linux/amd64) kubernetes/1a2b3c4/pod-garbage-collector",
      resource: "pods",
      namespace: `team-${turn % 300}`,
      name: `web-${turn % 5000}`,
    }),
  },
];

export interface GeneratorOptions {
  readonly bytes: number;
  /** Bytes of a body that every tenth event carries; 0: level Metadata. */
  readonly bodyBytes: number;
}

/** The log in blocks of about 25 MB, the last one whole: somewhat more bytes than asked for. */
export function* generateAuditLog({ bytes, bodyBytes }: GeneratorOptions): Generator<{
  readonly block: Buffer;
  readonly events: number;
}> {
  const { block, ids, times } = makeBlock(bodyBytes);
  let written = 0;
  for (let round = 0; written < bytes; round++) {
    // A copy: the one before may still be on its way into the pipe.
    const copy = Buffer.from(block);
    for (let index = 0; index < BLOCK_EVENTS; index++) {
      const event = round * BLOCK_EVENTS + index;
      copy.write(hex(Math.imul(event, 0x9e3779b1)), ids[index] ?? 0, "latin1");
      copy.write(String(event).padStart(12, "0"), (ids[index] ?? 0) + 24, "latin1");
      const at = START + (event / EVENTS_PER_SECOND) * 1000;
      copy.write(instant(at), times[2 * index] ?? 0, "latin1");
      copy.write(instant(at + 4), times[2 * index + 1] ?? 0, "latin1");
    }
    written += copy.length;
    yield { block: copy, events: BLOCK_EVENTS };
  }
}

function makeBlock(bodyBytes: number) {
  const lines: string[] = [];
  const ids: number[] = [];
  const times: number[] = [];
  const kinds = KINDS.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const turns = new Map<Kind, number>();
  let offset = 0;
  for (let index = 0; index < BLOCK_EVENTS; index++) {
    // A stride without a common divisor mixes the kinds.
    const kind = kinds[(index * 37) % kinds.length];
    if (kind === undefined) throw new Error("no kinds of requests");
    const turn = turns.get(kind) ?? 0;
    turns.set(kind, turn + 1);
    const line = toLine(kind.make(turn), index % 10 === 0 ? bodyBytes : 0);
    ids.push(offset + line.indexOf("00000000-0000"));
    const received = line.lastIndexOf(ZERO_TIME, line.lastIndexOf(ZERO_TIME) - 1);
    times.push(offset + received, offset + line.lastIndexOf(ZERO_TIME));
    offset += line.length;
    lines.push(line);
  }
  return { block: Buffer.from(lines.join(""), "latin1"), ids, times };
}

const ZERO_TIME = "0000-00-00T00:00:00.000000Z";

let instantSecond = -1;
let instantText = "";
/** With microseconds. */
function instant(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== instantSecond) {
    instantSecond = second;
    instantText = new Date(second * 1000).toISOString().slice(0, 20);
  }
  return `${instantText}${String(Math.round((ms - second * 1000) * 1000) % 1_000_000).padStart(6, "0")}Z`;
}

function toLine(request: GeneratedRequest, bodyBytes: number): string {
  const { verb, uri, user, userAgent, pod, resource, apiGroup, namespace, name, code = 200 } = request;
  const account = /^system:serviceaccount:([^:]+)/.exec(user)?.[1];
  const extra =
    pod === undefined
      ? {}
      : {
          extra: {
            "authentication.kubernetes.io/credential-id": [
              `JTI=8f4c1a7e-2b90-4b3d-9d6a-${pod.slice(-5)}5b7e4a1`,
            ],
            "authentication.kubernetes.io/node-name": [node(pod.charCodeAt(pod.length - 1) * 31)],
            "authentication.kubernetes.io/node-uid": ["b0c1e6f2-9a44-4b1f-8f0a-7d2c3e5a9b10"],
            "authentication.kubernetes.io/pod-name": [pod],
            "authentication.kubernetes.io/pod-uid": ["b0c1e6f2-9a44-4b1f-8f0a-7d2c3e5a9b11"],
          },
        };
  const body = bodyBytes === 0 ? {} : { requestObject: bodyOf(bodyBytes) };
  return `${JSON.stringify({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: bodyBytes === 0 ? "Metadata" : "Request",
    auditID: "00000000-0000-4000-8000-000000000000",
    stage: verb === "watch" ? "ResponseStarted" : "ResponseComplete",
    requestURI: uri,
    verb,
    user: {
      username: user,
      groups:
        account === undefined
          ? ["system:nodes", "system:authenticated"]
          : ["system:serviceaccounts", `system:serviceaccounts:${account}`, "system:authenticated"],
      ...extra,
    },
    sourceIPs: [`10.${(uri.length * 7) % 200}.${user.length}.7`],
    userAgent,
    objectRef: {
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      ...(apiGroup === undefined ? {} : { apiGroup }),
      apiVersion: "v1",
    },
    responseStatus: { metadata: {}, code },
    ...body,
    requestReceivedTimestamp: ZERO_TIME,
    stageTimestamp: ZERO_TIME,
    annotations: {
      "authorization.k8s.io/decision": "allow",
      "authorization.k8s.io/reason": `RBAC: allowed by ClusterRoleBinding "reader" of ClusterRole "reader" to "${user}"`,
    },
  }).replaceAll("&", "\\u0026")}\n`;
}

/** An object of about so many bytes, as objects are: many short texts. */
function bodyOf(bytes: number): object {
  const env = Array.from({ length: Math.ceil(bytes / 48) }, (_, i) => ({
    name: `VARIABLE_${i}`,
    value: `value ${i}`,
  }));
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "web", labels: { app: "web" } },
    spec: { containers: [{ env }] },
  };
}
