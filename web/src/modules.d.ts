/** Text that the build puts in. */
declare module "worker:code" {
  const code: string;
  export default code;
}
declare module "*.wasm" {
  /** The core as WebAssembly, compressed by gzip, in base64. */
  const packed: string;
  export default packed;
}
