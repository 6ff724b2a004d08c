import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ETCD_VERSION, KWOK_VERSION } from "./versions.ts";

type KubernetesCommand = "kube-apiserver" | "kube-controller-manager" | "kube-scheduler";
export type ComponentName = "etcd" | "seed" | "storm" | "kwok" | KubernetesCommand;

/** How to build one binary, and where it ends up. */
export interface Recipe {
  readonly name: ComponentName;
  readonly version: string;
  readonly binaryPath: string;
  /** Fills an empty folder with a Go module; `upstreamGoMod` is for recipes that derive it from upstream's. */
  readonly writeModule: (directory: string, upstreamGoMod: () => Promise<string>) => Promise<void>;
  /** Arguments after `go build`, without `-o`. */
  readonly buildArguments: readonly string[];
}

const GO_SOURCES = fileURLToPath(new URL("./go/", import.meta.url));

/** Raised when the way of building changes in a manner that the key below does not see. */
const RECIPE_FORMAT = 1;

// CGO_ENABLED=0 (set by the builder) needs no C compiler; changing it would compile everything again.
const COMMON_ARGUMENTS = ["-trimpath", "-buildvcs=false"];

/** Recipes of everything one Kubernetes version needs, cheapest first so that a broken set-up shows early. */
export function recipesFor(
  kubernetesVersion: string,
  cacheDirectory: string,
): Readonly<Record<ComponentName, Recipe>> {
  const at = { cacheDirectory, kubernetesVersion };
  return {
    etcd: ownTool("etcd", ETCD_VERSION, cacheDirectory),
    seed: ownTool("seed", "1", cacheDirectory),
    storm: ownTool("storm", "1", cacheDirectory),
    kwok: kwok(cacheDirectory),
    "kube-apiserver": kubernetes("kube-apiserver", at),
    "kube-controller-manager": kubernetes("kube-controller-manager", at),
    "kube-scheduler": kubernetes("kube-scheduler", at),
  };
}

function ownTool(name: "etcd" | "seed" | "storm", version: string, cacheDirectory: string): Recipe {
  const source = join(GO_SOURCES, name);
  return recipe(cacheDirectory, {
    name,
    version,
    sources: readSources(source),
    buildArguments: [...COMMON_ARGUMENTS, "-mod=readonly", "-ldflags", "-s -w", "."],
    writeModule: async (directory) => cpSync(source, directory, { recursive: true }),
  });
}

function kwok(cacheDirectory: string): Recipe {
  const goMod = `module headroom.test/kwok\n\ngo 1.26.0\n\nrequire sigs.k8s.io/kwok v${KWOK_VERSION}\n`;
  return recipe(cacheDirectory, {
    name: "kwok",
    version: KWOK_VERSION,
    sources: [goMod],
    buildArguments: [
      ...COMMON_ARGUMENTS,
      "-mod=mod",
      "-ldflags",
      `-s -w -X sigs.k8s.io/kwok/pkg/consts.Version=v${KWOK_VERSION}`,
      "sigs.k8s.io/kwok/cmd/kwok",
    ],
    writeModule: async (directory) => writeFileSync(join(directory, "go.mod"), goMod),
  });
}

function kubernetes(
  name: KubernetesCommand,
  at: { readonly cacheDirectory: string; readonly kubernetesVersion: string },
): Recipe {
  const version = at.kubernetesVersion;
  const [major, minor] = version.split(".");
  const stamp = "-X k8s.io/component-base/version.git";
  const isOurs = name === "kube-apiserver";
  const source = join(GO_SOURCES, name);
  return recipe(at.cacheDirectory, {
    name,
    version,
    sources: isOurs ? readSources(source) : [],
    buildArguments: [
      ...COMMON_ARGUMENTS,
      "-mod=mod",
      "-ldflags",
      // Without these, /version says v0.0.0-master+$Format:%H$.
      `-s -w ${stamp}Version=v${version} ${stamp}Major=${major} ${stamp}Minor=${minor}`,
      isOurs ? "." : `k8s.io/kubernetes/cmd/${name}`,
    ],
    writeModule: async (directory, upstreamGoMod) => {
      writeFileSync(join(directory, "go.mod"), kubernetesGoMod(version, await upstreamGoMod()));
      if (isOurs) cpSync(source, directory, { recursive: true });
    },
  });
}

/**
 * A module that requires k8s.io/kubernetes, with every staging module that upstream pins to exactly v0.0.0
 * replaced by its published release. The end of the line matters: k8s.io/kube-openapi is at v0.0.0-2026….
 */
export function kubernetesGoMod(version: string, upstreamGoMod: string): string {
  const goLine = /^go \S+$/m.exec(upstreamGoMod)?.[0];
  const staging = new Set<string>();
  for (const match of upstreamGoMod.matchAll(/^\s*(?:require )?(k8s\.io\/\S+) v0\.0\.0(?:\s*\/\/.*)?$/gm)) {
    if (match[1] !== undefined) staging.add(match[1]);
  }
  if (goLine === undefined || staging.size === 0) {
    throw new Error(`the go.mod of k8s.io/kubernetes v${version} is not of the known shape`);
  }
  const published = `v0.${version.split(".").slice(1).join(".")}`;
  // Our own main package imports some of these. Left to itself, go would then require them at their published
  // version, and with another version in its name every package would be compiled again for the next binary.
  const required = [...staging].sort().map((module) => `\t${module} v0.0.0`);
  const replaces = [...staging].sort().map((module) => `\t${module} => ${module} ${published}`);
  return [
    "module headroom.test/kubernetes",
    goLine,
    `require k8s.io/kubernetes v${version}`,
    `require (\n${required.join("\n")}\n)`,
    `replace (\n${replaces.join("\n")}\n)\n`,
  ].join("\n\n");
}

interface Ingredients extends Omit<Recipe, "binaryPath"> {
  readonly sources: readonly string[];
}

/** The folder carries a hash of all that decides the binary, so that a changed flag never finds an old one. */
function recipe(cacheDirectory: string, { sources, ...rest }: Ingredients): Recipe {
  const key = createHash("sha256")
    .update(JSON.stringify([RECIPE_FORMAT, process.platform, process.arch, rest.name, rest.version]))
    .update(JSON.stringify([rest.buildArguments, sources]))
    .digest("hex")
    .slice(0, 12);
  return {
    ...rest,
    binaryPath: join(cacheDirectory, "bin", `${rest.name}-${rest.version}-${key}`, rest.name),
  };
}

function readSources(directory: string): readonly string[] {
  return readdirSync(directory)
    .sort()
    .map((file) => `${file}\n${readFileSync(join(directory, file), "utf8")}`);
}

/** An empty folder for a recipe's module. */
export function emptyDirectory(directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
}
