import { describe, expect, it } from "vitest";
import { readVectors } from "../../../vectors/read-vectors.ts";
import { asFlowSchema, asPriorityLevel } from "../configuration/expand-objects.ts";
import { defaultFlowControl } from "./defaults.ts";

interface DefaultObject {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: object;
}

interface DefaultsFile {
  readonly version: string;
  readonly flowSchemas: readonly DefaultObject[];
  readonly priorityLevelConfigurations: readonly DefaultObject[];
  readonly mandatoryFlowSchemas: readonly string[];
  readonly mandatoryPriorityLevelConfigurations: readonly string[];
}

/** These files are no sets, but the reader reads any recorded file. */
function readDefaults(minor: number): DefaultsFile {
  const file: unknown = readVectors<never>(`defaults/1.${minor}.json`);
  return file as DefaultsFile;
}

const byName = (objects: readonly DefaultObject[]) => objects.toSorted((a, b) => (a.name < b.name ? -1 : 1));

describe("the default objects", () => {
  it.each(Array.from({ length: 12 }, (_, i) => 26 + i))(
    "of 1.%i are those of upstream's code: every spec and annotation, and which are mandatory",
    (minor) => {
      const recorded = readDefaults(minor);
      const own = defaultFlowControl(minor);
      const flowSchemas = own.flowSchemas.map(asFlowSchema);
      const priorityLevels = own.priorityLevelConfigurations.map(asPriorityLevel);
      const flat = ({
        metadata: { name, annotations },
        spec,
      }: (typeof flowSchemas)[0] | (typeof priorityLevels)[0]) => ({
        name,
        annotations: annotations ?? {},
        spec,
      });
      expect(byName(flowSchemas.map(flat))).toEqual(byName(recorded.flowSchemas));
      expect(byName(priorityLevels.map(flat))).toEqual(byName(recorded.priorityLevelConfigurations));
      const mandatory = (objects: readonly { name: string; mandatory: boolean }[]) =>
        objects.filter((object) => object.mandatory).map(({ name }) => name);
      expect(mandatory(own.flowSchemas).toSorted()).toEqual(recorded.mandatoryFlowSchemas.toSorted());
      expect(mandatory(own.priorityLevelConfigurations).toSorted()).toEqual(
        recorded.mandatoryPriorityLevelConfigurations.toSorted(),
      );
    },
  );
});
