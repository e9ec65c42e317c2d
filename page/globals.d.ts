/** What the scripts of other packages leave in the page. */
declare global {
  var uPlot: typeof import('uplot');
  var SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown;
}

export {};
