import { format } from "node:util";
import type { Logger } from "../../logger.ts";

type ConsoleLike = Pick<Console, "log" | "info" | "warn" | "error" | "debug">;

/**
 * Sends what the framework prints through the logger: every line of the process is JSON then, and what an error of
 * unknown origin says has passed the redactor.
 */
export function redirectConsole(logger: Logger, target: ConsoleLike = console): void {
  const to =
    (level: "debug" | "info" | "warn" | "error") =>
    (...values: unknown[]) => {
      const err = values.find((value) => value instanceof Error);
      const message = format(
        ...values.map((value) => (value instanceof Error ? value.message : value)),
      ).trim();
      if (message !== "") logger[level](message, err === undefined ? {} : { err });
    };
  target.debug = to("debug");
  target.log = to("info");
  target.info = to("info");
  target.warn = to("warn");
  target.error = to("error");
}
