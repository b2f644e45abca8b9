/** The worker: each question gets one reply, and what fails is told, not thrown. */

import { answer, dialects, known } from "./asking";
import type { Answered, Asked, Reply } from "./core";
import { study } from "./study";

declare const self: DedicatedWorkerGlobalScope;

interface DedicatedWorkerGlobalScope {
  onmessage: (event: MessageEvent<{ seq: number; asked: Asked }>) => void;
  postMessage(reply: Reply): void;
}

function answerTo(asked: Asked): Answered {
  if (asked.kind === "answer") return answer(asked);
  if (asked.kind === "study") return study(asked);
  return dialects(asked);
}

self.postMessage(known());
self.onmessage = ({ data: { seq, asked } }) => {
  try {
    self.postMessage({ seq, answered: answerTo(asked) });
  } catch (error) {
    self.postMessage({ seq, failed: error instanceof Error ? error.message : String(error) });
  }
};
