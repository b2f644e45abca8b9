// The memory of the core.

import { initSync, scratch } from "#wasm";

let exports: ReturnType<typeof initSync>;

/** Start the core. */
export function start(module: BufferSource | WebAssembly.Module): void {
  exports = initSync({ module });
}

/** Its memory. */
export function memory(): WebAssembly.Memory {
  return exports.memory;
}

export { scratch };
