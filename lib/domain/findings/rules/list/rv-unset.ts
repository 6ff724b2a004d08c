import { formatCount } from "../../../cost/format-figures.ts";
import { subjectOfClient } from "../../reads/client-subject.ts";
import { type CollectionSize, nameOfResource } from "../../reads/collection-sizes.ts";
import { isKubelets, ledgerOf, type ReadClient, type ReadShape } from "../../reads/read-ledger.ts";
import {
  ALL_VERSIONS,
  type Rule,
  type RuleAnswer,
  type RuleFinding,
  type StreamObserver,
} from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { copiesOnNodes } from "./node-agents.ts";
import { perMinute, servingOf } from "./serving-of.ts";

/** LISTs of the latest state that etcd has to read whole. */
export const listRvUnset: Rule = {
  name: "list.rv-unset",
  severity: "error",
  // With the consistent LIST from cache (1.31) it is about etcd without progress requests alone; see `what`.
  versions: ALL_VERSIONS,
  title: "A LIST without resourceVersion is read from etcd in full",
  what: "Looks in an audit log at LISTs without resourceVersion and without a limit that this version serves from etcd: all up to 1.30, and from 1.31 on where etcd is older than 3.4.31 or 3.5.13 or the gate ConsistentListFromCache is off. Reports clients that send them again and again or from many copies.",
  why: "Every object is read by etcd and decoded by the API server for each of them, whatever a field or label selector leaves over: an agent that asks for one node's pods costs as much as one that asks for all.",
  fix: "Send resourceVersion=0, which the watch cache answers; the answer may then be some seconds old, and a limit is passed over, so that the whole selection comes in one response. Where the latest state in pages is needed, set limit. 1.31 and later with etcd 3.5.13 or later serve the latest state from the cache.",
  sources: [
    {
      text: "Kubernetes API concepts, semantics for get and list",
      url: "https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list",
    },
    {
      text: "KEP-2340, consistent reads from cache",
      url: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/2340-Consistent-reads-from-cache",
    },
    {
      text: "vectordotdev/vector#16753: 1,100 nodes list again with resourceVersion unset",
      url: "https://github.com/vectordotdev/vector/issues/16753",
    },
  ],
  check: { kind: "stream", begin },
};

/** Objects read from etcd when all copies list once: an API server decodes a million in about half a minute. */
const WAVE_OBJECTS_ERROR = 1_000_000;
/** A read of fewer objects than a page holds is none to speak of. */
const OBJECTS_WORTH_A_PAGE = 500;
/** Lists of one client that are no accident. */
const LISTS_REPEATED = 3;
/** Objects for one LIST that is worth a word by itself. */
const OBJECTS_ALONE = 10_000;

function begin(facts: ScanFacts): StreamObserver {
  const ledger = ledgerOf(facts);
  return {
    auditEvent: (event) => ledger.take(event),
    finish: () => {
      const answers = [...ledger.clients.values()].map((client) => check(client, facts));
      return {
        findings: answers.flatMap(({ findings }) => findings),
        undecided: answers.flatMap(({ undecided }) => undecided ?? []),
      };
    },
  };
}

interface FromEtcd {
  readonly shape: ReadShape;
  readonly size: CollectionSize;
}

function check(client: ReadClient, facts: ScanFacts): RuleAnswer {
  const unset = [...client.shapes.values()].filter(isUnset);
  if (unset.length === 0) return { findings: [] };
  const subject = subjectOfClient(client.name, Math.max(...unset.map(({ copies }) => copies.size)));
  if (facts.cluster.kubernetesVersion === null) {
    if (!unset.some(isRepeated)) return { findings: [] };
    return {
      findings: [],
      undecided: [
        {
          subject,
          missing:
            "It lists without resourceVersion and limit; the version of the cluster would tell whether etcd serves that.",
        },
      ],
    };
  }
  const found = unset.flatMap((shape) => fromEtcd(shape, facts)).sort((a, b) => weightOf(b) - weightOf(a));
  const [worst] = found;
  return { findings: worst === undefined ? [] : [toFinding(client, subject, found, worst, facts)] };
}

/** One LIST of everything for the latest state. */
function isUnset({ isWatch, request }: ReadShape): boolean {
  const options = request.options;
  if (isWatch || options === null || options.continue !== "" || options.limit > 0) return false;
  return options.resourceVersion === "";
}

const isRepeated = ({ count }: ReadShape) => count >= LISTS_REPEATED;

function fromEtcd(shape: ReadShape, facts: ScanFacts): readonly FromEtcd[] {
  const served = servingOf(shape, facts);
  if (served === null || served.serving.source !== "etcd" || served.serving.isSingleKey) return [];
  const { size } = served;
  // Of one namespace the range of keys is read alone; how many objects it holds is not known.
  if (shape.scope === "namespace") return [];
  if (size.objects === null) return isRepeated(shape) ? [{ shape, size }] : [];
  if (size.objects < OBJECTS_WORTH_A_PAGE) return [];
  return isRepeated(shape) || size.objects >= OBJECTS_ALONE ? [{ shape, size }] : [];
}

const weightOf = ({ shape, size }: FromEtcd) => (size.objects ?? 0) * shape.count;

function toFinding(
  client: ReadClient,
  subject: string,
  found: readonly FromEtcd[],
  { shape, size }: FromEtcd,
  facts: ScanFacts,
): RuleFinding {
  const name = nameOfResource(shape.apiGroup, shape.resource);
  const copies = copiesOnNodes(client, shape, facts);
  const wave = size.objects === null ? null : size.objects * (copies ?? 1);
  const rate = perMinute(shape);
  const what = shape.scope === "own-node" ? `${name} of one node` : name;
  const objects = size.objects === null ? "every object" : `all ${formatCount(size.objects)} objects`;
  const often = rate === null || copies !== null ? "" : ` It sends ${formatRate(rate)} a minute.`;
  const waveText =
    copies === null || copies < 2 || wave === null
      ? ""
      : ` When its ${formatCount(copies)} copies list together, that is ${formatCount(wave)} objects.`;
  return {
    subject,
    severity: copies !== null && wave !== null && wave >= WAVE_OBJECTS_ERROR ? "error" : "warning",
    message: `LISTs of ${what} without resourceVersion make etcd read ${objects} each time on ${facts.cluster.kubernetesVersion ?? "this version"}.${often}${waveText}`,
    evidence: { grade: "measured", source: "audit log", observedAt: shape.lastAt },
    figures: {
      resource: name,
      lists: shape.count,
      copies,
      quorumListsPerMinute: rate,
      objectsPerList: size.objects,
      bytesPerList: size.storedBytes,
      objectsReadFromEtcdPerRelistWave: wave,
      ...(name === "pods" && wave !== null ? { podObjectsReadFromEtcdPerRelistWave: wave } : {}),
    },
    related: found
      .slice(1)
      .map(
        (each) =>
          `${nameOfResource(each.shape.apiGroup, each.shape.resource)}: ${formatCount(each.shape.count)} LISTs`,
      ),
    ...(isKubelets(client) ? { symptomOf: { rule: "list.relist-herd", subject } } : {}),
  };
}

const formatRate = (rate: number) => String(Number(rate.toPrecision(3)));
