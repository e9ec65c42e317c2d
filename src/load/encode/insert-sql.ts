import { apostrophe, backslash, comma } from '../../bytes/ascii.js';
import { type DataType, isVariable, type TagValue } from '../../model/schema.js';
import { quotedText } from '../../text/quoted-name.js';
import { sqlName } from '../model/names.js';
import type { FieldPlan } from '../model/scenario.js';
import type { ByteWriter } from './byte-writer.js';
import { RowEncoder, type RowFormat } from './row-encoder.js';
import { TagLookup, type TagRowsOf } from './tag-rows.js';

/** Bytes that a string literal cannot hold as they are, and the letters that stand for them behind a backslash. */
const escapes = new Uint8Array(256);
escapes[apostrophe] = apostrophe;
escapes[backslash] = backslash;
escapes[0x0a] = 0x6e;
escapes[0x0d] = 0x72;
escapes[0x09] = 0x74;

/** Writes text, given in UTF-8, as a string literal of the dialect. */
function writeString(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  out.reserve((end - start) * 2 + 2);
  const target = out.bytes;
  let { at } = out;
  target[at++] = apostrophe;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    const escaped = escapes[byte]!;
    if (escaped !== 0) target[at++] = backslash;
    target[at++] = escaped === 0 ? byte : escaped;
  }
  target[at++] = apostrophe;
  out.at = at;
}

/** A tag as a literal of the dialect. */
function tagLiteral({ name }: DataType, value: TagValue): string {
  if (value === undefined) return 'NULL';
  return isVariable(name) ? quotedText(value) : value;
}

/** Longest statement of the dialect, in bytes. */
export const maxStatementBytes = 1_048_576;

/** Names in statements of the tables that rows go to, as they are stored. */
export interface InsertTarget {
  readonly database: string;
  /** Databases, super tables and sub-tables are quoted even where they need not be. */
  readonly quoted: boolean;
  nameOf(table: number): string;
  /** Set when the statements make missing sub-tables. */
  readonly using: UsingTarget | undefined;
  /** The columns that the rows have, the time column first; undefined for all of them. */
  readonly columns: readonly string[] | undefined;
}

/** The super table and the tags that sub-tables are made with. */
export interface UsingTarget {
  readonly superTable: string;
  readonly tags: readonly FieldPlan[];
  readonly tagRows: TagRowsOf;
}

/** `db.name`, quoted as far as it has to be. */
export function qualifiedName({ database, quoted }: Pick<InsertTarget, 'database' | 'quoted'>, name: string): string {
  return `${sqlName(database, quoted)}.${sqlName(name, quoted)}`;
}

/** `USING db.stb TAGS (…)` of a sub-table. */
export function usingClause(
  target: Pick<InsertTarget, 'database' | 'quoted'>,
  { superTable, tags }: Pick<UsingTarget, 'superTable' | 'tags'>,
  values: readonly TagValue[],
): string {
  const literals = tags.map(({ type }, i) => tagLiteral(type, values[i]));
  return `USING ${qualifiedName(target, superTable)} TAGS (${literals.join(',')})`;
}

/**
 * Encodes rows as `INSERT INTO db.d0 [(ts,c0)] [USING db.stb TAGS (…)] VALUES (…)(…)`, rows of several tables in one
 * statement. Numbers are written so that they read back exactly, times as ticks.
 */
export function insertEncoder(target: InsertTarget, maxBytes = maxStatementBytes): RowEncoder {
  const { using, columns } = target;
  const names = columns === undefined ? '' : ` (${columns.map((name) => sqlName(name, false)).join(',')})`;
  const tags = using && new TagLookup(using.tagRows);
  const [head, tail] = [Buffer.from('('), Buffer.from(')')];
  const format: RowFormat = {
    wire: 'sql-insert',
    bodyName: 'sql',
    beginning: Buffer.from('INSERT INTO'),
    part: (table) => {
      const creation = using === undefined ? '' : ` ${usingClause(target, using, tags?.of(table) ?? [])}`;
      const opening = ` ${qualifiedName(target, target.nameOf(table))}${names}${creation} VALUES `;
      return { opening: Buffer.from(opening), head, tail };
    },
    writeTime: (out, low, high) => out.wide(low, high, true),
    writeBody: (out, cells, row) => {
      for (const cell of cells) {
        out.byte(comma);
        if (!cell.seek(row)) out.text('NULL');
        else if (cell.isText) writeString(out, cell.entry.bytes, cell.entry.start, cell.entry.end);
        else cell.write(out, row);
      }
    },
  };
  return new RowEncoder(format, maxBytes);
}
