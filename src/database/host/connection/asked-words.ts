/** A query as the engine gets it: `tag`, what the client wrote up to its format, a line break, `outfile`, the format. */
interface SentQuery {
  readonly tag: string;
  readonly head: string;
  /** The clause of the host with a blank behind it; its file name is a quoted text. Empty when there is none. */
  readonly outfile: string;
}

const place = /(failed at position )(\d+)( \([\s\S]*?\))(?:( \(line )(\d+)(, col )(\d+))?/;

/**
 * The engine's error about a query in terms of what the client wrote, as if its format stood in a line behind it: the
 * clause of the host is left out of the text that the engine shows, and the place of a syntax error is counted without it.
 * A value that is not an error is given back as it is.
 */
export function inAskedWords(error: unknown, sent: SentQuery): unknown {
  if (!(error instanceof Error)) return error;
  const message = withoutClause(withOwnPlace(error.message, sent), sent.outfile);
  return message === error.message ? error : new Error(message, { cause: error });
}

function withOwnPlace(message: string, { tag, head, outfile }: SentQuery): string {
  return message.replace(place, (...parts: (string | undefined)[]) => {
    const [, at, position, token, beforeLine = '', line = '', beforeColumn = '', column = ''] = parts;
    const written = Buffer.byteLength(head) + 1;
    const own = Number(position) - tag.length;
    const hidden = Math.min(Math.max(0, own - written - 1), outfile.length);
    const first = line === '1' ? tag.length : 0;
    const where = column === '' ? '' : String(Math.max(1, Number(column) - first - hidden));
    return `${at}${own - hidden}${token}${beforeLine}${line}${beforeColumn}${where}`;
  });
}

function withoutClause(message: string, outfile: string): string {
  if (outfile === '') return message;
  const name = outfile.indexOf("'");
  return withoutCutClause(message, outfile)
    .replaceAll(`\n${outfile}`, '\n')
    .replaceAll(outfile.slice(name), '')
    .replaceAll(outfile.slice(name, outfile.indexOf("'", name + 1) + 1), 'FORMAT');
}

/** The engine cuts a long text off, with three dots behind it. */
function withoutCutClause(message: string, outfile: string): string {
  for (let length = outfile.length; length > 0; length--) {
    const cut = `\n${outfile.slice(0, length)}...`;
    if (message.includes(cut)) return message.replace(cut, '...');
  }
  return message;
}
