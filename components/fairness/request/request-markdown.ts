import { markdownOf } from "@/components/tables/column";
import { toMarkdownTable } from "@/lib/format/markdown";
import { requestLine, resultLines, type ToolState } from "./prepare-answer";
import { traceColumns } from "./trace-columns";

/** The request and its answer as blocks of Markdown; none while nothing is asked. */
export function requestMarkdown(state: ToolState): readonly string[] {
  switch (state.state) {
    case "empty":
    case "invalid":
    case "missing":
      return [];
    case "refused":
      return ["### Which FlowSchema catches this request", `\`${requestLine(state.request)}\`: ${state.why}`];
    case "answered": {
      const { request, match, price } = state;
      const trace = markdownOf(traceColumns(false), match.classified?.trace ?? []);
      const groups = request.user.groups.length === 0 ? "no group" : request.user.groups.join(", ");
      return [
        "### Which FlowSchema catches this request",
        `\`${requestLine(request)}\` by ${request.user.name} (${groups})`,
        toMarkdownTable(trace.heads, trace.rows),
        resultLines(state)
          .map(
            ({ label, lead, sentences, isOpen }) =>
              `- ${label}: **${lead}**${isOpen ? " (not known)" : ""}${sentences.length === 0 ? "" : `. ${sentences.join(" ")}`}`,
          )
          .join("\n"),
        `Rests on ${price.facts.map(({ label, text }) => `${label} ${text}`).join("; ")}.`,
      ];
    }
    default: {
      const never: never = state;
      throw new Error(`unknown state ${String(never)}`);
    }
  }
}
