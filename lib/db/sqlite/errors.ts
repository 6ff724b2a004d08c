import { AppError } from "../../errors.ts";

/** Error number of SQLite or of the file system behind a failure, however deep the client has wrapped it. */
export function findDriverCode(error: unknown): string | null {
  for (let current: unknown = error, depth = 0; depth < 6 && isRecord(current); depth++) {
    const code = current.originalCode ?? current.code;
    if (typeof code === "string" && /^(SQLITE_|E[A-Z]+$)/.test(code)) return code;
    const meta = isRecord(current.meta) ? current.meta.driverAdapterError : undefined;
    current = meta ?? current.cause;
  }
  return null;
}

/** True where another connection holds the lock: the same statement may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(findDriverCode(error) ?? "");
}

/** True where the file does not hold what SQLite wrote. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(findDriverCode(error) ?? "");
}

/** The one place where failures of the database become errors that the rest of Headroom knows. */
export function toStoreError(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  const code = findDriverCode(error) ?? "";
  const cause = { cause: error };
  if (isBusy(error)) {
    return new AppError(
      "store-unavailable",
      `The store ${path} is locked: another process has been writing to it for seconds. Try again.`,
      cause,
    );
  }
  if (/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT|EFBIG)$/.test(code)) {
    return new AppError(
      "store-full",
      `The store ${path} has no room: nothing new is kept until its disk has. What is stored stays readable.`,
      cause,
    );
  }
  if (/^(SQLITE_READONLY.*|EROFS|EACCES|EPERM)$/.test(code)) {
    return new AppError(
      "store-read-only",
      `The store ${path} cannot be written: the file, its folder or its file system is read-only. Nothing new is kept.`,
      cause,
    );
  }
  if (isCorruption(error)) {
    return new AppError(
      "store-corrupt",
      `The store ${path} is damaged. The next start keeps the damaged file aside and opens a new one.`,
      cause,
    );
  }
  if (/^(SQLITE_CANTOPEN.*|SQLITE_IOERR.*|E[A-Z]+)$/.test(code)) {
    return new AppError("store-unavailable", `The store ${path} cannot be opened or read (${code}).`, cause);
  }
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY" || prismaCode(error) === "P2003") {
    return new AppError("not-found", "The store holds no such cluster.", cause);
  }
  if (/^SQLITE_CONSTRAINT/.test(code) || prismaCode(error) === "P2002") {
    return new AppError("conflict", "The store already holds another value under this key.", cause);
  }
  if (prismaCode(error) === "P2025") {
    return new AppError("not-found", "The store holds no such row.", cause);
  }
  return new AppError(
    "internal",
    "The store failed in a way that is not expected. The log says more.",
    cause,
  );
}

function prismaCode(error: unknown): string | null {
  return isRecord(error) && typeof error.code === "string" ? error.code : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
