/** What the bundler resolves besides modules. */
declare module "*?url" {
  const address: string;
  export default address;
}
