import type { AgentContainer, AgentVariable } from "../agent-workload.ts";
import type { Fields } from "./fields.ts";

/** Texts of the ConfigMaps of one namespace by name; `undefined` for one that was not given. */
export type FindConfigMap = (name: string) => Readonly<Record<string, string>> | undefined;

export interface PodTemplate {
  readonly containers: readonly AgentContainer[];
  readonly serviceAccountName: string | null;
  readonly isKeptFromNodes: boolean;
}

/** Labels that nearly every node has: a nodeSelector by them keeps nothing away. */
const EVERY_NODE_LABELS = new Set(["kubernetes.io/os", "beta.kubernetes.io/os"]);

/** Reads a pod's spec. Init containers count where they are sidecars. */
export function readPodTemplate(spec: Fields, findConfigMap: FindConfigMap): PodTemplate {
  const containers = [
    ...spec.objects("containers"),
    ...spec.objects("initContainers").filter((each) => each.text("restartPolicy") === "Always"),
  ];
  const volumes = configOfVolumes(spec, findConfigMap);
  const nodeSelector = Object.entries(spec.textMap("nodeSelector"));
  return {
    containers: containers.map((each) => readContainer(each, findConfigMap, volumes)),
    serviceAccountName: spec.text("serviceAccountName") ?? spec.text("serviceAccount"),
    isKeptFromNodes:
      nodeSelector.some(([label, value]) => !(EVERY_NODE_LABELS.has(label) && value === "linux")) ||
      spec
        .object("affinity")
        ?.object("nodeAffinity")
        ?.has("requiredDuringSchedulingIgnoredDuringExecution") === true,
  };
}

interface ConfigTexts {
  readonly texts: readonly string[];
  readonly isKnown: boolean;
}

const NO_CONFIG: ConfigTexts = { texts: [], isKnown: true };

function readContainer(
  container: Fields,
  findConfigMap: FindConfigMap,
  volumes: ReadonlyMap<string, ConfigTexts>,
): AgentContainer {
  const variables = container.objects("env").flatMap((each) => readVariable(each, findConfigMap));
  const known = new Map(variables.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));
  const configs = [
    ...container.objects("volumeMounts").map((mount) => volumes.get(mount.text("name") ?? "") ?? NO_CONFIG),
    ...container.objects("envFrom").map((from) => configOfReference(from, findConfigMap)),
  ];
  return {
    name: container.text("name") ?? "",
    image: container.text("image") ?? "",
    words: [...container.texts("command"), ...container.texts("args")].map((word) => expand(word, known)),
    variables,
    configTexts: [...new Set(configs.flatMap(({ texts }) => texts))],
    isConfigKnown: configs.every(({ isKnown }) => isKnown),
  };
}

function readVariable(each: Fields, findConfigMap: FindConfigMap): AgentVariable[] {
  const name = each.text("name");
  if (name === null) return [];
  const from = each.object("valueFrom");
  const reference = from?.object("configMapKeyRef") ?? null;
  const text = reference === null ? undefined : findConfigMap(reference.text("name") ?? "");
  return [
    {
      name,
      // A variable without value and source is the empty text.
      value: from === null ? (each.text("value") ?? "") : (text?.[reference?.text("key") ?? ""] ?? null),
      fieldPath: from?.object("fieldRef")?.text("fieldPath") ?? null,
    },
  ];
}

function configOfVolumes(spec: Fields, findConfigMap: FindConfigMap): ReadonlyMap<string, ConfigTexts> {
  return new Map(
    spec.objects("volumes").map((volume) => {
      const sources = volume.object("projected")?.objects("sources") ?? [volume];
      const configs = sources.map((source) => configOfSource(source, findConfigMap));
      return [
        volume.text("name") ?? "",
        { texts: configs.flatMap(({ texts }) => texts), isKnown: configs.every(({ isKnown }) => isKnown) },
      ];
    }),
  );
}

/** A volume, or one source of a projected volume. A Secret may hold configuration, and is never read. */
function configOfSource(source: Fields, findConfigMap: FindConfigMap): ConfigTexts {
  if (source.has("secret")) return { texts: [], isKnown: false };
  const name = source.object("configMap")?.text("name") ?? null;
  return name === null ? NO_CONFIG : textsOf(findConfigMap(name));
}

/** An entry of `envFrom`. */
function configOfReference(from: Fields, findConfigMap: FindConfigMap): ConfigTexts {
  const name = from.object("configMapRef")?.text("name") ?? null;
  return name === null ? { texts: [], isKnown: false } : textsOf(findConfigMap(name));
}

function textsOf(configMap: Readonly<Record<string, string>> | undefined): ConfigTexts {
  return configMap === undefined
    ? { texts: [], isKnown: false }
    : { texts: Object.entries(configMap).map(([key, text]) => `${key}: ${text}`), isKnown: true };
}

/** `$(NAME)` as the kubelet fills it in; what is not known stays as it stands. */
function expand(word: string, variables: ReadonlyMap<string, string>): string {
  return word.replace(/\$\(([^)\s]{1,256})\)/g, (whole, name: string) => variables.get(name) ?? whole);
}
