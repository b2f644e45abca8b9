// The start of the core where a bundle has it in a place of its own; see docs/guides/javascript.md.

import { start as begin } from "./memory.js";

/**
 * Start the core, once and before `verger` is loaded: for bundles made under the condition
 * `verger-start`.
 *
 * @param core `verger.wasm` of this package: its bytes, or what they were compiled to.
 */
export function start(core: BufferSource | WebAssembly.Module): void {
  begin(core);
}
