import { putVarint, varintLength } from '../bytes/varint.js';
import { engineWidth } from '../database/engine/native-block.js';
import type { ColumnMeta } from '../model/exchange.js';
import { isVariable } from '../model/schema.js';
import { engineType } from '../sql/engine/storage.js';

/**
 * Rows made in memory as one block of the engine's Native format, every column Nullable: the form of columns of {@link
 * SqlAnswer}.
 */
export function encodeColumns(
  meta: readonly ColumnMeta[],
  rows: readonly (readonly (string | number | null)[])[],
): Uint8Array {
  const parts = [varint(meta.length), varint(rows.length)];
  for (const [at, { name, type }] of meta.entries()) {
    const cells = rows.map((row) => row[at] ?? null);
    parts.push(text(name), text(`Nullable(${engineType(type)})`));
    parts.push(Uint8Array.from(cells, (cell) => Number(cell === null)));
    if (isVariable(type.name)) parts.push(...cells.map((cell) => text(String(cell ?? ''))));
    else parts.push(...cells.map((cell) => integer(cell ?? 0, engineWidth(type))));
  }
  return Buffer.concat(parts);
}

function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(varintLength(value));
  putVarint(bytes, 0, value);
  return bytes;
}

function text(value: string): Uint8Array {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(bytes.length), bytes]);
}

/** Lists hold texts and whole numbers. */
function integer(value: string | number, width: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes.subarray(0, width);
}
