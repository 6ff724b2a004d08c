import { type ChildProcessByStdio, spawn } from "node:child_process";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { z } from "zod";
import type { ClusterEntry, ExecEntry } from "./kubeconfig-types.ts";
import { excerpt } from "./redact.ts";

/** Seconds a plugin may take. */
export const EXEC_PLUGIN_SECONDS = 15;
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** Of standard error, the end is what says why. */
const STDERR_TAIL_CHARACTERS = 300;

/** What a plugin gave. */
export interface ExecCredential {
  readonly token: string | null;
  /** PEM. */
  readonly clientCertificate: string | null;
  /** PEM. */
  readonly clientKey: string | null;
  /** Milliseconds since the epoch; null where it holds until it is refused. */
  readonly expiresAt: number | null;
}

/** A credential could not be obtained. The message is for people and holds no credential. */
export class CredentialError extends Error {
  override readonly name = "CredentialError";
}

const ExecCredentialSchema = z.object({
  kind: z.literal("ExecCredential"),
  apiVersion: z.string(),
  status: z.object({
    token: z.string().nullish(),
    clientCertificateData: z.string().nullish(),
    clientKeyData: z.string().nullish(),
    expirationTimestamp: z.string().nullish(),
  }),
});

/** What running a plugin takes. */
export interface ExecPluginInput {
  readonly exec: ExecEntry;
  readonly cluster: ClusterEntry;
  /** PEM of the CA, for `provideClusterInfo`. */
  readonly certificateAuthority: string | null;
  /** Environment of the plugin, before that of the kubeconfig is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default {@link EXEC_PLUGIN_SECONDS}. */
  readonly timeoutSeconds?: number;
  /** Ends the plugin. */
  readonly signal?: AbortSignal;
}

/**
 * Runs an exec plugin without a terminal and reads its credential. On time-out or abort the plugin is killed together
 * with what it started. Source: client-go/plugin/pkg/client/auth/exec, v0.34.
 *
 * @throws CredentialError that names the command, its exit status and the end of what it said, redacted
 */
export async function runExecPlugin(input: ExecPluginInput): Promise<ExecCredential> {
  const { exec } = input;
  const plugin = `exec plugin ${basename(exec.command)}`;
  if (exec.interactiveMode === "Always") {
    throw new CredentialError(
      `${plugin} needs a terminal (interactiveMode: Always), which there is none of here`,
    );
  }
  const result = await run(input, plugin);
  if (result.outcome !== null) {
    const said = excerpt(
      result.stderr.slice(-4 * STDERR_TAIL_CHARACTERS),
      [...secretsIn(result.stdout)],
      Number.MAX_SAFE_INTEGER,
    );
    const tail = said.length <= STDERR_TAIL_CHARACTERS ? said : `…${said.slice(-STDERR_TAIL_CHARACTERS)}`;
    throw new CredentialError(`${plugin} ${result.outcome}${tail === "" ? "" : `: ${tail}`}`);
  }
  return readCredential(result.stdout, exec, plugin);
}

interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  /** What went wrong, in words; null for exit status 0. */
  readonly outcome: string | null;
}

function run(input: ExecPluginInput, plugin: string): Promise<RunResult> {
  const { exec, signal } = input;
  const timeoutSeconds = input.timeoutSeconds ?? EXEC_PLUGIN_SECONDS;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new CredentialError(`${plugin} was not run: the client is closed`));
      return;
    }
    let child: PluginProcess;
    try {
      child = start(input);
    } catch (error) {
      // Thrown at once, and not told by an event, for some: a name below a file, arguments that are too long or hold NUL.
      reject(new CredentialError(`${plugin} could not be started (${codeOf(error)})`));
      return;
    }
    const stdout: Buffer[] = [];
    let stdoutBytes = 0;
    let stderr = "";
    let stopped: string | null = null;
    let startError: string | null = null;
    const stop = (why: string) => {
      stopped ??= why;
      killGroup(child.pid);
      // What escaped the group may hold the pipes open; it is not waited for.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(
      () => stop(`did not finish within ${timeoutSeconds} s and was killed`),
      timeoutSeconds * 1000,
    );
    const onAbort = () => stop("was stopped");
    signal?.addEventListener("abort", onAbort, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      stdoutBytes += chunk.length;
      if (stdoutBytes > MAX_OUTPUT_BYTES) stop(`printed more than ${MAX_OUTPUT_BYTES} bytes and was killed`);
      else stdout.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString("utf8")).slice(-16_384);
    });
    child.on("error", (error) => {
      startError =
        "code" in error && error.code === "ENOENT"
          ? notFound(exec)
          : `could not be started (${codeOf(error)})`;
    });
    child.on("close", (status, killedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      const ended =
        status === 0
          ? null
          : killedBy === null
            ? `ended with exit status ${status}`
            : `was killed by ${killedBy}`;
      resolve({
        stdout: Buffer.concat(stdout).toString("utf8"),
        stderr,
        outcome: stopped ?? startError ?? ended,
      });
    });
  });
}

type PluginProcess = ChildProcessByStdio<null, Readable, Readable>;

/** @throws what the system or Node says against starting it */
function start(input: ExecPluginInput): PluginProcess {
  const { exec } = input;
  return spawn(exec.command, exec.args, {
    // A process group of its own, so that what the plugin starts ends with it.
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    env: toProcessEnv({
      ...input.env,
      ...exec.env,
      KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(input)),
    }),
  });
}

/** Next.js declares NODE_ENV as always present; an environment for another program needs none. */
function toProcessEnv(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return env as NodeJS.ProcessEnv;
}

function notFound(exec: ExecEntry): string {
  return `is not installed${exec.installHint === null ? "" : `: ${excerpt(exec.installHint)}`}`;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch (error) {
    // It has ended by itself in the meantime.
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

function execInfo({ exec, cluster, certificateAuthority }: ExecPluginInput) {
  const clusterInfo = {
    server: cluster.server,
    ...(cluster.tlsServerName === null ? {} : { "tls-server-name": cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(certificateAuthority === null
      ? {}
      : { "certificate-authority-data": Buffer.from(certificateAuthority).toString("base64") }),
    ...(cluster.proxyUrl === null ? {} : { "proxy-url": cluster.proxyUrl }),
    ...(cluster.execConfig === null ? {} : { config: cluster.execConfig }),
  };
  return {
    kind: "ExecCredential",
    apiVersion: exec.apiVersion,
    spec: { interactive: false, ...(exec.provideClusterInfo ? { cluster: clusterInfo } : {}) },
  };
}

/** The credentials in what a failed plugin printed, so that they can be taken out of what it said. */
function secretsIn(stdout: string): Iterable<string> {
  return [...stdout.matchAll(/"(?:token|clientKeyData)"\s*:\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
}

function readCredential(stdout: string, exec: ExecEntry, plugin: string): ExecCredential {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    // What it printed is not quoted: it may be a bare token.
    throw new CredentialError(`${plugin} printed no JSON; expected an ExecCredential of ${exec.apiVersion}`);
  }
  const parsed = ExecCredentialSchema.safeParse(value);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join(".") ?? "";
    throw new CredentialError(
      `${plugin} printed no ExecCredential of ${exec.apiVersion} (look at ${where || "the whole"})`,
    );
  }
  if (parsed.data.apiVersion !== exec.apiVersion) {
    throw new CredentialError(
      `${plugin} printed another apiVersion than the kubeconfig names (${exec.apiVersion})`,
    );
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.data.status;
  const expiresAt = expirationTimestamp ? Date.parse(expirationTimestamp) : null;
  if (Number.isNaN(expiresAt))
    throw new CredentialError(`${plugin} printed an expirationTimestamp that is no time`);
  if (!token && !clientCertificateData)
    throw new CredentialError(`${plugin} printed neither a token nor a certificate`);
  if (!clientCertificateData !== !clientKeyData) {
    throw new CredentialError(`${plugin} printed only one of clientCertificateData and clientKeyData`);
  }
  return {
    token: token || null,
    clientCertificate: clientCertificateData || null,
    clientKey: clientKeyData || null,
    expiresAt,
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
