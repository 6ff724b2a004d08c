import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { AppError } from "../../errors.ts";
import type { ServiceContext } from "../context.ts";
import { RequestRefused } from "../http/request-refused.ts";

/**
 * Whether somebody may post audit events: only where the webhook is turned on, and with its bearer token where one is
 * set. API servers are programs: a request in which a browser says where it comes from is refused, whatever page it is.
 *
 * @throws RequestRefused 404, 403, 401; AppError where the token cannot be read
 */
export async function admitAuditEvents(
  { config, logger }: Pick<ServiceContext, "config" | "logger">,
  headers: Pick<Headers, "get">,
): Promise<void> {
  const { webhookEnabled, tokenFile } = config.audit;
  if (!webhookEnabled) {
    throw new RequestRefused(
      404,
      "not-found",
      "The audit webhook is turned off: audit.webhook.enabled in headroom.yaml turns it on.",
    );
  }
  if (headers.get("origin") !== null || headers.get("sec-fetch-site") !== null) {
    throw new RequestRefused(
      403,
      "cross-site",
      "Audit events are taken from API servers, not from browsers.",
    );
  }
  if (tokenFile === null) return;
  const token = await readToken(tokenFile, logger);
  const given = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  if (!timingSafeEqual(digest(given), digest(token))) {
    throw new RequestRefused(
      401,
      "unauthorized",
      "The bearer token of the audit webhook is missing or wrong.",
      {
        "www-authenticate": "Bearer",
      },
    );
  }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Read anew each time, so that a token may be changed while this runs. It stands in no message and no log. */
async function readToken(path: string, logger: ServiceContext["logger"]): Promise<string> {
  let token = "";
  try {
    token = (await readFile(path, "utf8")).trim();
  } catch (error) {
    logger.error("the token of the audit webhook cannot be read", {
      path,
      code: (error as NodeJS.ErrnoException).code,
    });
  }
  if (token !== "") return token;
  throw new AppError(
    "internal",
    "The token of the audit webhook cannot be read, or is empty: see audit.webhook.tokenFile.",
  );
}
