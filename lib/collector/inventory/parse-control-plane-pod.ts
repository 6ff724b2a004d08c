import { z } from "zod";
import type { ControlPlanePod } from "../../domain/clusters/inventory-part.ts";
import { redact } from "../../kube/redact.ts";

/** Label values by which kubeadm and others mark the mirror pods of a control plane. */
export const CONTROL_PLANE_COMPONENTS = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "etcd",
] as const;

const PodSchema = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).nullish() }),
  spec: z.object({
    nodeName: z.string().nullish(),
    containers: z
      .array(
        z.object({
          name: z.string(),
          image: z.string().nullish(),
          command: z.array(z.string()).nullish(),
          args: z.array(z.string()).nullish(),
        }),
      )
      .min(1),
  }),
});

/** Flags whose value may be a credential; those that name a file or a directory only say where one lies. */
const CREDENTIAL_FLAG = /(token|passw|secret|credential|bearer|api-?key|private-?key|auth-?key|htpasswd)/i;
const LOCATION_FLAG = /(file|dir|directory|path)$/i;
const FLAGS_KEPT = 200;
const FLAG_CHARACTERS = 500;

/**
 * A mirror pod with the start-up flags of its component, sorted, without values that may be a credential.
 * @throws ZodError where the object is no Pod.
 */
export function parseControlPlanePod(item: unknown): ControlPlanePod {
  const { metadata, spec } = PodSchema.parse(item);
  const component = metadata.labels?.component ?? "";
  const container = spec.containers.find((each) => each.name === component) ?? spec.containers[0];
  return {
    name: metadata.name,
    component,
    nodeName: spec.nodeName ?? null,
    image: container?.image ?? null,
    flags: trimFlags([...(container?.command ?? []), ...(container?.args ?? [])]),
  };
}

/** The flags among the words of a command line (a shell's `-c` text included), redacted and sorted. */
export function trimFlags(words: readonly string[]): readonly string[] {
  const flags = words
    .flatMap((word) => (/\s/.test(word) && !word.startsWith("--") ? word.split(/\s+/) : [word]))
    // A value that stands apart from its flag is left out: it cannot be told what it is.
    .filter((word) => /^--?[a-z]/i.test(word))
    .map(redactFlag);
  return [...new Set(flags)].sort().slice(0, FLAGS_KEPT);
}

function redactFlag(flag: string): string {
  const equals = flag.indexOf("=");
  if (equals < 0) return flag.slice(0, FLAG_CHARACTERS);
  const name = flag.slice(0, equals);
  if (CREDENTIAL_FLAG.test(name) && !LOCATION_FLAG.test(name)) return `${name}=[redacted]`;
  return `${name}=${redact(flag.slice(equals + 1))}`.slice(0, FLAG_CHARACTERS);
}
