/**
 * The text without the characters `character` at its end, in linear time: `/0+$/` takes quadratic time for zeros that
 * are not at the end.
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
