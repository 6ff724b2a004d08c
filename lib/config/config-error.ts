/** One thing wrong with the configuration: where it stands, and what was expected there. */
export interface ConfigProblem {
  /** File, environment variable or flag: `/etc/headroom.yaml`, `HEADROOM_PORT`, `--port`. */
  readonly source: string;
  /** Line and column in the file, counted from 1; `null` elsewhere. */
  readonly position: { readonly line: number; readonly column: number } | null;
  /** Dotted path in the file: `clusters.kubeconfigs[0].path`; empty elsewhere. */
  readonly path: string;
  readonly expected: string;
}

/** The configuration cannot be used. The message names every problem, one a line, and holds no value that was given. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(describeProblem).join("\n"));
    this.problems = problems;
  }
}

function describeProblem({ source, position, path, expected }: ConfigProblem): string {
  const where = position === null ? source : `${source}:${position.line}:${position.column}`;
  return path === "" ? `${where}: ${expected}` : `${where}: ${path}: ${expected}`;
}
