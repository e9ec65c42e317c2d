/**
 * A stored name as the dialect writes it in back quotes. Arriving data may bring names with any character; the public
 * grammar has no spelling for a back quote in a name, so that it is doubled, as quotes in texts are.
 */
export function quotedName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** A text as a literal of the dialect. */
export function quotedText(text: string, quote: "'" | '"' = "'"): string {
  return `${quote}${text.replace(/\\/g, '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`;
}
