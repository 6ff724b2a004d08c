import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { answerQuestion } from "./answer-question.ts";
import type { ProjectionAnswer, ProjectionQuestion } from "./projection-message.ts";

/** The thread that simulates: the collector's own goes on reading clusters meanwhile. One question at a time. */
if (process.platform === "linux") {
  // There the priority is that of the thread that asks: whatever else the machine has to do comes first.
  setPriority(0, 19);
}
parentPort?.on("message", (question: ProjectionQuestion) => {
  parentPort?.postMessage(answer(question));
});

function answer(question: ProjectionQuestion): ProjectionAnswer {
  try {
    return answerQuestion(question, () => performance.now());
  } catch (error) {
    return {
      kind: "failed",
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}
