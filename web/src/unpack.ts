/** The core, unpacked by the browser and compiled once for all workers. */

import packed from "verger/verger.wasm";

export async function unpacked(): Promise<WebAssembly.Module> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}
