import { compareText } from "../clusters/finding.ts";
import { parseVersion } from "../kubernetes/version.ts";
import {
  compareScanFindings,
  FINDING_SEVERITIES,
  type Finding,
  type SourcePosition,
  type UndecidedSubject,
} from "./finding.ts";
import {
  completeFinding,
  type Rule,
  type RuleAnswer,
  type RuleFinding,
  type StreamObserver,
} from "./rule.ts";
import type { ScanFacts } from "./scan-facts.ts";

/** What rules say of one input. */
export interface RuleResults {
  /** Sorted by severity, rule, subject; one per rule and subject. */
  readonly findings: readonly Finding[];
  /** Sorted by rule, subject; none of a subject for which its rule has a finding. */
  readonly undecided: readonly UndecidedSubject[];
}

type HandlerName = Exclude<keyof StreamObserver, "finish">;

/**
 * Rules over one input: begun with what is read whole, fed with streams, finished once. Rules that do not hold for the
 * version of the cluster are left out; where the version is not known all of them are asked.
 */
export class RuleRun {
  readonly #facts: ScanFacts;
  readonly #factRules: readonly Rule[];
  readonly #observers: readonly { readonly rule: Rule; readonly observer: StreamObserver }[];

  constructor(rules: readonly Rule[], facts: ScanFacts) {
    const holding = rules.filter((rule) => holdsFor(rule, facts.cluster.kubernetesVersion));
    this.#facts = facts;
    this.#factRules = holding.filter(({ check }) => check.kind === "facts");
    this.#observers = holding.flatMap((rule) =>
      rule.check.kind === "stream" ? [{ rule, observer: rule.check.begin(facts) }] : [],
    );
  }

  /** Handlers of one kind of event, in the order of the rules: for readers that hand over millions of them. */
  handlers<Name extends HandlerName>(name: Name): readonly NonNullable<StreamObserver[Name]>[] {
    return this.#observers.flatMap(({ observer }) => {
      const handler = observer[name];
      return handler === undefined ? [] : [handler];
    });
  }

  /** One function for all handlers of one kind; `null` where no rule listens, so that nothing need be read. */
  listener<Name extends HandlerName>(
    name: Name,
  ): ((event: EventOf<Name>, at: SourcePosition) => void) | null {
    const handlers = this.handlers(name) as readonly ((event: EventOf<Name>, at: SourcePosition) => void)[];
    if (handlers.length === 0) return null;
    return (event, at) => {
      for (const handler of handlers) handler(event, at);
    };
  }

  /** `given`: answers of rules that only a cluster that is read decides. */
  finish(given: readonly { readonly rule: Rule; readonly answer: RuleAnswer }[] = []): RuleResults {
    const answers = [...given];
    for (const rule of this.#factRules) {
      if (rule.check.kind === "facts") answers.push({ rule, answer: rule.check.evaluate(this.#facts) });
    }
    for (const { rule, observer } of this.#observers) answers.push({ rule, answer: observer.finish() });
    return joinAnswers(answers);
  }
}

type EventOf<Name extends HandlerName> = Parameters<NonNullable<StreamObserver[Name]>>[0];

/** Rules over facts alone; streams count as given without an event. */
export function evaluateRules(rules: readonly Rule[], facts: ScanFacts): RuleResults {
  return new RuleRun(rules, facts).finish();
}

/** Metrics that the rules want handed over; one that ends in `*` is a prefix. Sorted, each once. */
export function wantedMetrics(rules: readonly Rule[]): readonly string[] {
  const names = rules.flatMap(({ check }) => (check.kind === "stream" ? (check.metrics ?? []) : []));
  return [...new Set(names)].sort();
}

/** False where the version is known and the rule does not hold for it. */
export function holdsFor({ versions }: Pick<Rule, "versions">, kubernetesVersion: string | null): boolean {
  const version = kubernetesVersion === null ? null : parseVersion(kubernetesVersion);
  if (version === null) return true;
  // Kubernetes 2 would be newer than every minor of 1.
  const minor = version.major === 1 ? version.minor : version.major > 1 ? Number.POSITIVE_INFINITY : -1;
  return minor >= (versions.from ?? -1) && minor <= (versions.until ?? Number.POSITIVE_INFINITY);
}

/**
 * Answers of rules as findings: sorted, each rule and subject once, symptoms folded into their cause. Properties: the
 * order of the answers does not matter; every finding given is there, or its message stands in `related` of its cause.
 */
export function joinAnswers(
  answers: readonly { readonly rule: Rule; readonly answer: RuleAnswer }[],
): RuleResults {
  const byKey = new Map<string, Finding>();
  const symptoms: { finding: Finding; cause: NonNullable<RuleFinding["symptomOf"]> }[] = [];
  for (const { rule, answer } of answers) {
    for (const found of answer.findings) {
      const finding = completeFinding(rule, found);
      if (found.symptomOf === undefined) addFinding(byKey, finding);
      else symptoms.push({ finding, cause: found.symptomOf });
    }
  }
  // Causes first: a symptom may be given before its cause, and a cause may itself be a symptom that stands alone.
  symptoms.sort((a, b) => compareScanFindings(a.finding, b.finding));
  for (const { finding, cause } of symptoms) {
    const known = byKey.get(keyOf(cause));
    if (known === undefined) addFinding(byKey, finding);
    else
      byKey.set(
        keyOf(known),
        withRelated(known, [`${finding.rule} at ${finding.subject}: ${finding.message}`]),
      );
  }
  const undecided = answers.flatMap(({ rule, answer }) =>
    (answer.undecided ?? [])
      .map((each) => ({ rule: rule.name, ...each }))
      .filter((each) => !byKey.has(keyOf(each))),
  );
  return {
    findings: [...byKey.values()].sort(compareScanFindings),
    undecided: uniqueUndecided(undecided),
  };
}

const keyOf = ({ rule, subject }: { readonly rule: string; readonly subject: string }) =>
  `${rule}\u0000${subject}`;

/** Of two findings of one rule at one subject the worse one stands; what differs in the other becomes related. */
function addFinding(byKey: Map<string, Finding>, finding: Finding): void {
  const known = byKey.get(keyOf(finding));
  if (known === undefined) {
    byKey.set(keyOf(finding), withRelated(finding, []));
    return;
  }
  const [stays, goes] = isBefore(known, finding) ? [known, finding] : [finding, known];
  const others = goes.message === stays.message ? [] : [goes.message];
  byKey.set(keyOf(finding), withRelated(stays, [...others, ...goes.related]));
}

/** Worse first, then by message: so that the order in which they come does not matter. */
function isBefore(a: Finding, b: Finding): boolean {
  const order =
    FINDING_SEVERITIES.indexOf(a.severity) - FINDING_SEVERITIES.indexOf(b.severity) ||
    compareText(a.message, b.message) ||
    compareText(a.evidence.source, b.evidence.source);
  return order <= 0;
}

function withRelated(finding: Finding, more: readonly string[]): Finding {
  return { ...finding, related: [...new Set([...finding.related, ...more])].sort() };
}

function uniqueUndecided(all: readonly UndecidedSubject[]): readonly UndecidedSubject[] {
  const byKey = new Map<string, UndecidedSubject>();
  for (const each of all) {
    const known = byKey.get(keyOf(each));
    if (known === undefined || compareText(each.missing, known.missing) < 0) byKey.set(keyOf(each), each);
  }
  return [...byKey.values()].sort((a, b) => compareText(a.rule, b.rule) || compareText(a.subject, b.subject));
}
