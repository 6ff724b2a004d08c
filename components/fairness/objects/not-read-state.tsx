import type { ReactNode } from "react";
import { describeFailure, describeRemedy } from "@/components/clusters/part-words";
import { EmptyState } from "@/components/ui/panel-states";
import type { FlowControlResponse, MissingObjects } from "@/lib/contracts/flow-control";
import { usableVersion } from "./usable-version";

type Failure = NonNullable<MissingObjects["failure"]>;
type What = MissingObjects["what"];

const WORDS: Readonly<Partial<Record<What, string>>> = { version: "the version of the API server" };

/** Which of what is needed is not there. */
function absentOf(response: FlowControlResponse, needed: readonly What[]): readonly What[] {
  const isAbsent: Readonly<Record<What, boolean>> = {
    FlowSchemas: response.flowSchemas === null,
    "priority levels": response.priorityLevels === null,
    version: usableVersion(response.gitVersion) === null,
    workloads: response.accounts === null,
  };
  return needed.filter((what) => isAbsent[what]);
}

/** What was not read, why, and what would let it be read. `children`: what that means for the panel. */
export function NotReadState(props: {
  response: FlowControlResponse;
  needed: readonly What[];
  /** Where the panel itself knows better what it lacks: a version may be that of one server. */
  names?: readonly string[];
  children: ReactNode;
}) {
  const { response, needed, children } = props;
  const absent = absentOf(response, needed);
  const names = props.names ?? absent.map((what) => WORDS[what] ?? what);
  const failures = absent.flatMap((what) => {
    const failure = response.missing.find((each) => each.what === what)?.failure ?? null;
    return failure === null ? [] : [{ what, failure }];
  });
  return (
    <EmptyState kind="unknown" lead={`Not read: ${names.join(", ")}`}>
      <p>{children}</p>
      <FailureList
        failures={failures}
        otherwise="The collector's table on the overview says what became of the latest try."
      />
    </EmptyState>
  );
}

/** What each failed read came to, and what helps, said once. */
export function FailureList(props: {
  failures: readonly { readonly what: string; readonly failure: Failure }[];
  otherwise?: ReactNode;
}) {
  const { failures, otherwise = null } = props;
  if (failures.length === 0) return otherwise === null ? null : <p className="text-s">{otherwise}</p>;
  const remedies = new Set(failures.map(({ failure }) => describeRemedy(failure)));
  return (
    <>
      {[...Map.groupBy(failures, ({ failure }) => describeFailure(failure))].map(([told, of]) => (
        <p key={told} className="text-s wrap-anywhere">
          {of.map(({ what }) => what).join(", ")}: {told}.
        </p>
      ))}
      {[...remedies].map((remedy) => remedy !== null && <p key={remedy}>{remedy}</p>)}
    </>
  );
}
