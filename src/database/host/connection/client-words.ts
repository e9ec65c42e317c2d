/** A query as the host sends it: `tag`, the client's text up to its format, a line break, `outfile`, the format. */
interface SentQuery {
  readonly tag: string;
  readonly head: string;
  /** The clause of the host with a blank behind it; its file name is a quoted text. Empty when there is none. */
  readonly outfile: string;
}

const errorPosition = /failed at position (\d+) \(/;
const lineAndColumn = /^( \(line )(\d+)(, col )(\d+)/;

/**
 * Rewrites the engine's error about a query in terms of the client's text, as if its format followed in the next line:
 * it removes the host's OUTFILE clause from the quoted text and corrects the position of a syntax error. Returns a
 * value that is not an error as it is.
 */
export function inClientWords(error: unknown, sent: SentQuery): unknown {
  if (!(error instanceof Error)) return error;
  const message = withoutOutfile(withClientPosition(error.message, sent), sent.outfile);
  return message === error.message ? error : new Error(message, { cause: error });
}

function withClientPosition(message: string, sent: SentQuery): string {
  const begin = errorPosition.exec(message);
  const close = begin === null ? -1 : message.indexOf(')', begin.index + begin[0].length);
  if (begin === null || close < 0) return message;
  const [head, behind] = [message.slice(0, begin.index), message.slice(close + 1)];
  const position = begin[1] ?? '';
  const token = message.slice(begin.index + begin[0].length - ' ('.length, close + 1);
  const [all = '', beforeLine = '', line = '', beforeColumn = '', column = ''] = lineAndColumn.exec(behind) ?? [];
  const written = Buffer.byteLength(sent.head) + 1;
  const own = Number(position) - sent.tag.length;
  const hidden = Math.min(Math.max(0, own - written - 1), sent.outfile.length);
  const first = line === '1' ? sent.tag.length : 0;
  const where = column === '' ? '' : String(Math.max(1, Number(column) - first - hidden));
  const shown = `failed at position ${own - hidden}${token}${beforeLine}${line}${beforeColumn}${where}`;
  return `${head}${shown}${behind.slice(all.length)}`;
}

function withoutOutfile(message: string, outfile: string): string {
  if (outfile === '') return message;
  const name = outfile.indexOf("'");
  return withoutCutOutfile(message, outfile)
    .replaceAll(`\n${outfile}`, '\n')
    .replaceAll(outfile.slice(name), '')
    .replaceAll(outfile.slice(name, outfile.indexOf("'", name + 1) + 1), 'FORMAT');
}

/** The engine truncates a long text and appends three dots. */
function withoutCutOutfile(message: string, outfile: string): string {
  for (let length = outfile.length; length > 0; length--) {
    const cut = `\n${outfile.slice(0, length)}...`;
    if (message.includes(cut)) return message.replace(cut, '...');
  }
  return message;
}
