/** The part of the package that the tests use; it brings no types of its own. */
declare module 'snappyjs' {
  function compress(bytes: Uint8Array): Uint8Array;
  function uncompress(bytes: Uint8Array, maxLength?: number): Uint8Array;
  const snappyjs: { compress: typeof compress; uncompress: typeof uncompress };
  export default snappyjs;
}
