/**
 * Builds the test bed's binaries once per user: `node e2e/testbed/build.ts [--versions 1.33,1.37]`.
 *
 * Exit status: 0 all there; 1 a build failed; 2 wrong usage; 4 not available on this machine, with the line to
 * print as skipped on standard output. Progress goes to standard error.
 */
import { parseArgs } from "node:util";
import { skipLine } from "./availability.ts";
import { chosenVersions } from "./binaries.ts";
import { prepareBinaries } from "./build-components.ts";
import { resolveVersions } from "./versions.ts";

const HELP = `Usage: node e2e/testbed/build.ts [--versions LIST] [--keep-build-cache]

  --versions LIST      Kubernetes versions, comma separated (1.33 or 1.33.13).
                       Default: HEADROOM_TESTBED_VERSIONS, else the newest known.
  --keep-build-cache   leave compiled packages, for work on the Go sources
`;

async function main(): Promise<number> {
  let versions: readonly string[];
  let keepBuildCache: boolean;
  try {
    const { values } = parseArgs({
      options: {
        versions: { type: "string" },
        "keep-build-cache": { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    keepBuildCache = values["keep-build-cache"];
    versions = values.versions === undefined ? chosenVersions() : resolveVersions(values.versions);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return 2;
  }
  const prepared = await prepareBinaries({
    versions,
    keepBuildCache,
    log: (line) => console.error(`testbed: ${line}`),
  });
  if (!prepared.available) {
    console.log(`skipped: ${skipLine(prepared)}`);
    return 4;
  }
  console.error(`testbed: ready: ${prepared.value.map((one) => `Kubernetes ${one.version}`).join(", ")}`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`testbed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
