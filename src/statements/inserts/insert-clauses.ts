import type { Slice } from '../../async/slice.js';
import { openParenthesis, semicolon } from '../../bytes/ascii.js';
import { Cursor } from '../../sql/insert/cursor.js';
import { RowScanner } from '../../sql/insert/rows.js';
import { readUsing } from '../../sql/insert/using.js';

/** One table with its rows in the text of an INSERT … VALUES; places are bytes of the text. */
interface Clause {
  /** The table as it is named there: a super, normal or sub-table. */
  readonly table: string;
  readonly start: number;
  /** Where each row begins, and where it ends. */
  readonly rowStarts: readonly number[];
  readonly rowEnds: readonly number[];
}

/** Rows of a clause, by their numbers: the first, and one past the last. */
export interface ClauseRows {
  readonly clause: Clause;
  readonly first: number;
  readonly last: number;
}

/** Rows that are found in one turn of the event loop. */
const rowsPerTurn = 1_024;
const opening = Buffer.from('INSERT INTO ');
const blank = Buffer.from(' ');

/**
 * The clauses of an INSERT or IMPORT with VALUES, without a look at what they name. Throws a FaultError where the
 * grammar does not fit.
 */
export async function clausesOf(statement: Buffer, slice: Slice): Promise<readonly ClauseRows[]> {
  const cursor = new Cursor(statement);
  const rows = new RowScanner(cursor);
  const clauses: ClauseRows[] = [];
  const skipNames = (): void => {
    if (cursor.skip(openParenthesis)) cursor.readNames();
  };
  if (!cursor.skipWord('INSERT') && !cursor.skipWord('IMPORT')) throw cursor.syntaxError('keyword INSERT is expected');
  if (!cursor.skipWord('INTO')) throw cursor.syntaxError('keyword INTO is expected');
  do {
    cursor.skipBlanks();
    const start = cursor.at;
    const { name } = cursor.readObjectName();
    skipNames();
    if (cursor.skipWord('USING')) readUsing(cursor);
    skipNames();
    if (!cursor.skipWord('VALUES')) throw cursor.syntaxError('keyword VALUES is expected');
    const [rowStarts, rowEnds]: [number[], number[]] = [[], []];
    rows.expectRow();
    do {
      if (rowStarts.length % rowsPerTurn === 0 && slice.isOver()) await slice.next();
      rowStarts.push(cursor.at);
      cursor.skipBrackets();
      rowEnds.push(cursor.at);
    } while (rows.nextRow());
    clauses.push({ clause: { table: name.text, start, rowStarts, rowEnds }, first: 0, last: rowStarts.length });
  } while (cursor.at < cursor.end && cursor.bytes[cursor.at] !== semicolon);
  return clauses;
}

/** An INSERT of some rows of another one. */
export function insertOf(statement: Buffer, parts: readonly ClauseRows[]): Buffer {
  const pieces = parts.flatMap(({ clause, first, last }) => {
    const { start, rowStarts, rowEnds } = clause;
    const head = statement.subarray(start, rowStarts[0]);
    return first === last ? [head] : [head, statement.subarray(rowStarts[first], rowEnds[last - 1]), blank];
  });
  return Buffer.concat([opening, ...pieces]);
}

/** The two halves of rows: of clauses, or of the rows of a single one. Undefined for a single row. */
export function halvesOf(
  parts: readonly ClauseRows[],
): readonly [readonly ClauseRows[], readonly ClauseRows[]] | undefined {
  const middle = parts.length >> 1;
  if (middle > 0) return [parts.slice(0, middle), parts.slice(middle)];
  const [{ clause, first, last }] = parts as readonly [ClauseRows];
  const half = (first + last) >> 1;
  return half === first ? undefined : [[{ clause, first, last: half }], [{ clause, first: half, last }]];
}
