import { AppError } from "../../errors.ts";
import type { Sql } from "../sqlite/connection.ts";

/** The short key of a cluster in the sample tables. @throws AppError `not-found`. */
export async function findClusterNumber(sql: Sql, clusterId: string): Promise<number> {
  const [row] = await sql.all<{ number: number }>("SELECT number FROM clusters WHERE id = ?", clusterId);
  if (row === undefined) throw new AppError("not-found", `The store holds no cluster ${clusterId}.`);
  return row.number;
}
