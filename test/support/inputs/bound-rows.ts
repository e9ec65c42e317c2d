/** A value of one parameter: a row of it. */
type Value = number | bigint | string | boolean | Buffer | null;

/** Values of one parameter, by the number of its type. */
export interface TestColumn {
  readonly type: number;
  readonly values: readonly Value[];
}

/** Bound values of one table. */
export interface TestTable {
  readonly name?: string;
  readonly tags?: readonly TestColumn[];
  readonly columns: readonly TestColumn[];
}

const widths: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 4,
  7: 8,
  9: 8,
  11: 1,
  12: 2,
  13: 4,
  14: 8,
};

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function fixed(type: number, value: Value): Buffer {
  const bytes = Buffer.alloc(8);
  if (type === 6) bytes.writeFloatLE(Number(value));
  else if (type === 7) bytes.writeDoubleLE(Number(value));
  else bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value === null || Buffer.isBuffer(value) ? 0 : value)));
  return bytes.subarray(0, widths[type]);
}

/** One column as clients write it. */
export function boundColumn({ type, values }: TestColumn): Buffer {
  const nulls = Buffer.from(values.map((value) => Number(value === null)));
  const isFixed = widths[type] !== undefined;
  const cells = values.map((value) => {
    if (isFixed) return fixed(type, value);
    return value === null ? Buffer.alloc(0) : Buffer.isBuffer(value) ? value : Buffer.from(String(value));
  });
  const data = values.every((value) => value === null) ? Buffer.alloc(0) : Buffer.concat(cells);
  const lengths = isFixed ? [] : cells.map(({ length }) => u32(length));
  const rest = Buffer.concat([
    u32(type),
    u32(values.length),
    nulls,
    Buffer.of(Number(!isFixed)),
    ...lengths,
    u32(data.length),
    data,
  ]);
  return Buffer.concat([u32(rest.length + 4), rest]);
}

function part(tables: readonly (readonly TestColumn[])[]): Buffer {
  const parts = tables.map((columns) => Buffer.concat(columns.map(boundColumn)));
  return Buffer.concat([...parts.map(({ length }) => u32(length)), ...parts]);
}

/** Action 9 behind its header: version, all columns, and the tables. */
export function boundTables(tables: readonly TestTable[]): Buffer {
  const [first] = tables;
  const hasNames = tables.some(({ name }) => name !== undefined);
  const names = tables.map(({ name = '' }) => Buffer.from(`${name}\0`));
  const nameBytes = hasNames ? Buffer.concat([...names.map(({ length }) => u16(length)), ...names]) : Buffer.alloc(0);
  const tagCount = first?.tags?.length ?? 0;
  const tagBytes = tagCount > 0 ? part(tables.map(({ tags = [] }) => tags)) : Buffer.alloc(0);
  const columnBytes = part(tables.map(({ columns }) => columns));
  const tagsAt = 28 + nameBytes.length;
  const columnsAt = tagsAt + tagBytes.length;
  const numbers = [
    columnsAt + columnBytes.length,
    tables.length,
    tagCount,
    first?.columns.length ?? 0,
    hasNames ? 28 : 0,
    tagCount > 0 ? tagsAt : 0,
    columnsAt,
  ];
  const head = Buffer.concat([Buffer.from([1, 0, 255, 255, 255, 255]), ...numbers.map(u32)]);
  return Buffer.concat([head, nameBytes, tagBytes, columnBytes]);
}

/** Action 11 behind its header: version, and a column for each field. */
export function boundFields(rows: number, tables: number, columns: readonly TestColumn[]): Buffer {
  const blocks = Buffer.concat(columns.map(boundColumn));
  const numbers = [20 + blocks.length, rows, tables, columns.length, 20];
  return Buffer.concat([Buffer.from([1, 0]), ...numbers.map(u32), blocks]);
}
