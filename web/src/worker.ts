/** The worker: each question gets one reply, and what fails is told, not thrown. */

import { start } from "verger/start";

import type { Answered, Asked, Reply } from "./core";

declare const self: DedicatedWorkerGlobalScope;

interface DedicatedWorkerGlobalScope {
  onmessage: ((event: MessageEvent<Received>) => void) | null;
  postMessage(reply: Reply): void;
}

/** The core comes first; whatever uses it is loaded after it has started. */
type Received = { core: WebAssembly.Module } | { seq: number; asked: Asked };

let asking: Promise<typeof import("./asking")> | undefined;

self.onmessage = ({ data }) => {
  if ("core" in data) asking = begun(data.core);
  else void reply(data.seq, data.asked);
};

async function begun(core: WebAssembly.Module): Promise<typeof import("./asking")> {
  start(core);
  const asking = await import("./asking");
  self.postMessage(asking.known());
  return asking;
}

async function reply(seq: number, asked: Asked): Promise<void> {
  try {
    self.postMessage({ seq, answered: await answerTo(asked) });
  } catch (error) {
    self.postMessage({ seq, failed: error instanceof Error ? error.message : String(error) });
  }
}

async function answerTo(asked: Asked): Promise<Answered> {
  if (!asking) throw new Error("asked before the core was there");
  const { answer, dialects, names } = await asking;
  if (asked.kind === "names") return names(asked);
  if (asked.kind === "study") return (await import("./study")).study(asked);
  if (asked.kind === "table") return (await import("./table")).table(asked);
  return asked.kind === "answer" ? answer(asked) : dialects(asked);
}
