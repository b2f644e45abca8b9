// The memory of the core.

import { initSync, scratch } from "#wasm";
import { RobotsError } from "./errors.js";

let exports: ReturnType<typeof initSync> | undefined;

/** Start the core. */
export function start(module: BufferSource | WebAssembly.Module): void {
  exports = initSync({ module });
}

/** Its memory. */
export function memory(): WebAssembly.Memory {
  if (exports) return exports.memory;
  throw new RobotsError(
    "the core of verger has not started",
    "call `start` of `verger/start` first, and import `verger` with `await import` afterwards",
  );
}

export { scratch };
