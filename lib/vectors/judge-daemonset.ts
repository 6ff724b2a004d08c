/** Pods that the real controller was seen to choose; a number where they are more than 60. */
export interface RecordedChoice {
  readonly count: number;
  readonly always: readonly string[] | number;
  readonly someOf: readonly string[] | number;
}
/** What one step did. */
export interface RecordedStep {
  readonly created: RecordedChoice;
  readonly deleted: RecordedChoice;
}

/** Pods that an answer says are chosen: those that must go, and all others that may. */
interface ChoiceAnswer {
  readonly count: number;
  readonly always: readonly string[];
  readonly someOf: readonly string[];
}

interface StepAnswer {
  readonly created: ChoiceAnswer;
  readonly deleted: ChoiceAnswer;
}

function judge(where: string, answer: ChoiceAnswer, recorded: RecordedChoice): readonly string[] {
  const wrong: string[] = [];
  if (answer.count !== recorded.count) wrong.push(`${where}: count ${answer.count}, not ${recorded.count}`);
  const may = new Set([...answer.always, ...answer.someOf]);
  if (may.size !== answer.always.length + answer.someOf.length) wrong.push(`${where}: a name stands twice`);
  const seen = [recorded.always, recorded.someOf];
  for (const names of seen) {
    if (typeof names === "number") {
      if (names > may.size) wrong.push(`${where}: ${names} were seen, only ${may.size} may`);
    } else {
      for (const name of names) if (!may.has(name)) wrong.push(`${where}: ${name} went, and may not`);
    }
  }
  if (typeof recorded.always === "number") {
    if (answer.always.length > recorded.always) {
      wrong.push(`${where}: ${answer.always.length} must go, only ${recorded.always} always did`);
    }
  } else {
    for (const name of answer.always) {
      if (!recorded.always.includes(name)) wrong.push(`${where}: ${name} must go, and did not always`);
    }
  }
  // Where nothing is free the recorded list is the whole of it.
  if (answer.someOf.length === 0 && typeof recorded.always !== "number") {
    if (recorded.always.length !== answer.always.length) wrong.push(`${where}: not all of always`);
  }
  return wrong;
}

/** As `README.md` says: what is wrong with the answer for one step, or `[]`. */
export function judgeStep(where: string, answer: StepAnswer, recorded: RecordedStep): readonly string[] {
  return [
    ...judge(`${where} created`, answer.created, recorded.created),
    ...judge(`${where} deleted`, answer.deleted, recorded.deleted),
  ];
}
