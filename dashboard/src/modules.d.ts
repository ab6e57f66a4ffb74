declare module '*.css';

declare module 'virtual:world' {
  /** Code of each country ('' for those without) and the path of its outline. */
  const outlines: [string, string][];
  export default outlines;
}
