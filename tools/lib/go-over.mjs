import { spawn } from "node:child_process";
import { constants } from "node:os";

/**
 * Runs a script on another Node in place of this process: same terminal, signals passed on, same exit code.
 * @param {{ node: string, args: string[], env: NodeJS.ProcessEnv, isServer?: boolean }} options `isServer`: the script
 *   runs until it is told to end, and wants to know by "disconnect" that this process was killed
 */
export function goOver({ node, args, env, isServer = false }) {
  const stdio = isServer ? ["inherit", "inherit", "inherit", "ipc"] : "inherit";
  const child = spawn(node, args, { cwd: process.env.INIT_CWD ?? process.cwd(), env, stdio });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 1);
  });
}
