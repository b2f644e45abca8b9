/** Text that the build puts in. */
declare module "worker:code" {
  const code: string;
  export default code;
}
declare module "core:packed" {
  /** The core as WebAssembly, compressed by gzip, in base64. */
  const packed: string;
  export default packed;
}
declare module "verger/start" {
  /** Starts the core, before anything of `verger` is loaded. */
  export function start(core: WebAssembly.Module): void;
}
