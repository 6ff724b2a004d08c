/** Runs once per web process, before its first request; never during the build. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startWebProcess } = await import("./lib/services/web/start-web-process.ts");
  await startWebProcess();
}
