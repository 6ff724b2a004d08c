import { formatPosition } from "../../finding.ts";
import { listAt, numberAt, textAt, textsAt, valueAt } from "../../json-value.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { type ScannedObject, subjectOf } from "../../scanned-object.ts";

/** Readiness that hangs on something all copies share. */
export const rolloutReadinessSharedDependency: Rule = {
  name: "rollout.readiness-shared-dependency",
  severity: "warning",
  versions: ALL_VERSIONS,
  title: "Readiness of every copy hangs on one shared dependency",
  what: "Looks at readiness probes of Deployments, StatefulSets and DaemonSets with more than one copy that ask another service: an exec command or a URL that names a host other than the pod itself, or a path or parameter that says so (deep, dependencies, a database).",
  why: "When the shared thing is slow, all copies turn unready in the same seconds: the Service has no endpoint left, an update stands still, and a DaemonSet that is being updated replaces all its old pods at once.",
  fix: "Let readiness tell whether this pod can take requests, and answer errors of the dependency in the requests themselves; watch the dependency by its own alert.",
  sources: [
    {
      text: "kubernetes/kubernetes#111073: readiness of all old pods flips during a rollout",
      url: "https://github.com/kubernetes/kubernetes/issues/111073",
    },
    {
      text: "Kubernetes, configure liveness, readiness and startup probes",
      url: "https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
    },
  ],
  check: {
    kind: "facts",
    evaluate: (facts) => ({
      findings: KINDS.flatMap((kind) => facts.objects.ofKind(kind)).flatMap((each) => check(each, facts)),
    }),
  },
};

const KINDS = ["DaemonSet", "Deployment", "StatefulSet"];
const OWN_HOSTS =
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0|\$\(?[A-Z_]*(?:POD_IP|HOSTNAME|HOST_IP|NODE_IP)[A-Z_]*\)?|\$\{?HOSTNAME\}?)$/i;
const DEEP_PATH =
  /[/?&=_-](?:deep|dependenc(?:y|ies)|deps|upstreams?|database|db|postgres(?:ql)?|mysql|redis|kafka|rabbitmq|mongo(?:db)?|cassandra)(?:[/?&=_-]|$)/i;

function check(object: ScannedObject, facts: ScanFacts): readonly RuleFinding[] {
  if (!hasCopies(object, facts)) return [];
  const podSpec = valueAt(object.body, "spec", "template", "spec");
  const found = listAt(podSpec, "containers").flatMap((container) => {
    const probe = valueAt(container, "readinessProbe");
    const why = probe === undefined ? null : sharedBy(probe);
    return why === null ? [] : [{ container: textAt(container, "name") ?? "", why }];
  });
  const [first] = found;
  if (first === undefined) return [];
  return [
    {
      subject: subjectOf(object),
      message: `The readiness of every copy (container ${first.container}) ${first.why}: all turn unready together when that fails.`,
      evidence: { grade: "checked", source: formatPosition(object.position), observedAt: null },
      figures: { containers: found.map(({ container }) => container), copies: copiesOf(object, facts) },
      position: object.position,
    },
  ];
}

function hasCopies(object: ScannedObject, facts: ScanFacts): boolean {
  const copies = copiesOf(object, facts);
  return copies === null ? object.kind === "DaemonSet" : copies > 1;
}

function copiesOf({ kind, body }: ScannedObject, { cluster }: ScanFacts): number | null {
  if (kind === "DaemonSet") return numberAt(body, "status", "desiredNumberScheduled") ?? cluster.nodes;
  return numberAt(body, "spec", "replicas") ?? 1;
}

/** How a probe reaches beyond its pod, as the rest of a sentence; `null`: it does not, as far as is seen. */
function sharedBy(probe: unknown): string | null {
  const host = textAt(probe, "httpGet", "host") ?? textAt(probe, "tcpSocket", "host");
  if (host !== null && host !== "" && !OWN_HOSTS.test(host)) return `asks ${host}`;
  const path = textAt(probe, "httpGet", "path");
  if (path !== null && DEEP_PATH.test(path)) return `asks ${path}, which looks into what the copies share`;
  const command = textsAt(probe, "exec", "command").join(" ");
  const asked = hostOfCommand(command);
  return asked === null ? null : `runs a command that asks ${asked}`;
}

/** The other host that a command names: of a URL, behind `-h` or `--host` of a database client, of `nc -z HOST PORT`. */
function hostOfCommand(command: string): string | null {
  const hosts = [
    ...[
      ...command.matchAll(
        /\b(?:https?|tcp|redis|amqp|postgres(?:ql)?|mysql|mongodb):\/\/(?:[^\s/@'"]*@)?([^\s/:'"]+)/g,
      ),
    ].map((match) => match[1] ?? ""),
    ...[
      ...command.matchAll(
        /\b(?:pg_isready|psql|mysql|mysqladmin|redis-cli|mongo|mongosh|cqlsh)\b[^|;&]*?\s(?:-h\s*|--host[= ])([\w.$(){}-]+)/g,
      ),
    ].map((match) => match[1] ?? ""),
    ...[...command.matchAll(/\bnc\b(?:\s+-\S+(?:\s+\d+)?)*\s+([A-Za-z][\w.-]*|\$[\w(){}]+)\s+\d+/g)].map(
      (match) => match[1] ?? "",
    ),
  ];
  return hosts.find((each) => each !== "" && !OWN_HOSTS.test(each)) ?? null;
}
