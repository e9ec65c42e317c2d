/** The longest text that a template becomes, in characters. */
const maxRendered = 512;

/** A place in braces, and doubled braces, which are braces. */
const places = /\{\{|\}\}|\{([^{}]*)\}/g;

/** Fault of a template, or undefined. */
export function templateProblem(template: string): string | undefined {
  const rest = template.replace(places, (_place, name: string | undefined) => (name === '' ? '{' : ''));
  return /[{}]/.test(rest) ? 'a text with names in braces, such as {series}; a brace itself is doubled' : undefined;
}

/** A text with the values in place of their names in braces; a name without a value becomes nothing. */
export function renderTemplate(template: string, values: ReadonlyMap<string, string>): string {
  const text = template.replace(places, (place, name: string | undefined) =>
    name === undefined ? place.charAt(0) : (values.get(name) ?? ''),
  );
  return text.length > maxRendered ? text.slice(0, maxRendered) : text;
}
