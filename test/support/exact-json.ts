/** A string, or a number of so many digits that it may not fit a JavaScript number. */
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/** Reads JSON with every integer of 16 or more digits as a text of its digits, so that none is rounded. */
export function exactJson(text: string): ReturnType<typeof JSON.parse> {
  return JSON.parse(text.replace(stringOrLongInteger, (token) => (token.startsWith('"') ? token : `"${token}"`)));
}
