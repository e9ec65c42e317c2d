/** Words in lines of at most `width` characters; a longer word stands in a line of its own. */
export function wrapped(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Longest line of a help text. */
export const helpWidth = 110;

/**
 * An option of a help text: its names, and what it does in lines from the column `leftWidth` on, beside names that
 * leave room for a blank.
 */
export function helpLines(names: string, help: string, leftWidth: number): string {
  const lines = wrapped(help.split(' '), helpWidth - leftWidth);
  const indented = `\n${' '.repeat(leftWidth)}`;
  return (names.length < leftWidth ? names.padEnd(leftWidth) : names + indented) + lines.join(indented);
}
