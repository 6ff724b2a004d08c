import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../../errors.ts";

/**
 * Where the migrations are: `HEADROOM_MIGRATIONS_DIR`, else the first `prisma/migrations` at or above the folder of
 * this code, else at or above the working directory. A bundle ships that folder beside itself.
 * @throws AppError `internal` where there is none.
 */
export function migrationsDirectory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const named = environment.HEADROOM_MIGRATIONS_DIR;
  const starts = named === undefined ? [codeDirectory(), process.cwd()] : [];
  const found = named === undefined ? starts.map(findAbove).find((path) => path !== null) : named;
  if (found === undefined || found === null || !existsSync(join(/* turbopackIgnore: true */ found))) {
    throw new AppError(
      "internal",
      `The migrations of the store were not found${named === undefined ? ` above ${starts.join(" or ")}` : ` in ${named}`}. ` +
        "Ship prisma/migrations beside the program, or set HEADROOM_MIGRATIONS_DIR.",
    );
  }
  return found;
}

function codeDirectory(): string {
  return dirname(fileURLToPath(import.meta.url));
}

function findAbove(start: string): string | null {
  for (let directory = start; ; directory = dirname(directory)) {
    const candidate = join(/* turbopackIgnore: true */ directory, "prisma", "migrations");
    if (existsSync(join(candidate, "migration_lock.toml"))) return candidate;
    if (dirname(directory) === directory) return null;
  }
}
