/** A type, what is written into it, and the JSON text that comes back over REST. */
export interface TypeValues {
  readonly type: string;
  /** As `column_meta` shows it. */
  readonly shown?: string;
  readonly length: number;
  readonly values: readonly (readonly [literal: string, json: string])[];
  /** Types that are not tags: DECIMAL and BLOB. */
  readonly columnOnly?: boolean;
  /** False where there is no smallest value. */
  readonly ordered?: boolean;
}

const wkbPoint = '"0101000000000000000000f03f0000000000000040"';
const wkbLine = '"01020000000200000000000000000000000000000000000000000000000000f03f000000000000f03f"';
/** 0 and 1 as doubles, lowest byte first. */
const [zero, one] = ['0000000000000000', '000000000000f03f'];
const wkbSquare = `"01030000000100000004000000${zero}${zero}${one}${zero}${one}${one}${zero}${zero}"`;

/** Every type but the sole tag JSON and the type of NULL itself; smallest values first. */
export const typeValues: readonly TypeValues[] = [
  {
    type: 'BOOL',
    length: 1,
    values: [
      ['false', 'false'],
      ['true', 'true'],
    ],
  },
  {
    type: 'TINYINT',
    length: 1,
    values: [
      ['-128', '-128'],
      ['127', '127'],
    ],
  },
  {
    type: 'SMALLINT',
    length: 2,
    values: [
      ['-32768', '-32768'],
      ['32767', '32767'],
    ],
  },
  {
    type: 'INT',
    length: 4,
    values: [
      ['-2147483648', '-2147483648'],
      ['2147483647', '2147483647'],
    ],
  },
  {
    type: 'BIGINT',
    length: 8,
    values: [
      ['-9223372036854775808', '-9223372036854775808'],
      ['9007199254740993', '9007199254740993'],
      ['9223372036854775807', '9223372036854775807'],
    ],
  },
  {
    type: 'TINYINT UNSIGNED',
    length: 1,
    values: [
      ['0', '0'],
      ['255', '255'],
    ],
  },
  {
    type: 'SMALLINT UNSIGNED',
    length: 2,
    values: [
      ['0', '0'],
      ['65535', '65535'],
    ],
  },
  {
    type: 'INT UNSIGNED',
    length: 4,
    values: [
      ['0', '0'],
      ['4294967295', '4294967295'],
    ],
  },
  {
    type: 'BIGINT UNSIGNED',
    length: 8,
    values: [
      ['0', '0'],
      ['9223372036854775808', '9223372036854775808'],
      ['18446744073709551615', '18446744073709551615'],
    ],
  },
  {
    type: 'FLOAT',
    length: 4,
    values: [
      ['-2.5', '-2.5'],
      ['0.000001', '0.000001'],
      ['0.1', '0.1'],
      ['10.3', '10.3'],
      ['16777216', '16777216'],
    ],
  },
  {
    type: 'DOUBLE',
    length: 8,
    values: [
      ['-2.5', '-2.5'],
      ['0.000001', '0.000001'],
      ['0.1', '0.1'],
      ['0.30000000000000004', '0.30000000000000004'],
      ['123456789.125', '123456789.125'],
      ['1e20', '100000000000000000000'],
    ],
  },
  {
    type: 'DECIMAL(10,3)',
    length: 8,
    columnOnly: true,
    values: [
      ['-9999999.999', '"-9999999.999"'],
      ['-0.007', '"-0.007"'],
      ['12.5', '"12.500"'],
      ["'9999999.999'", '"9999999.999"'],
    ],
  },
  {
    type: 'DECIMAL(18, 0)',
    shown: 'DECIMAL(18,0)',
    length: 8,
    columnOnly: true,
    values: [
      ['-42', '"-42"'],
      ['999999999999999999', '"999999999999999999"'],
    ],
  },
  {
    type: 'DECIMAL(38,10)',
    length: 16,
    columnOnly: true,
    values: [
      ["'-9999999999999999999999999999.9999999999'", '"-9999999999999999999999999999.9999999999"'],
      ["'0.0000000001'", '"0.0000000001"'],
    ],
  },
  {
    type: 'VARCHAR(40)',
    shown: 'VARCHAR',
    length: 40,
    values: [
      ["''", '""'],
      ["'\u0001\u0008'", '"\\u0001\\b"'],
      [`'a"b\\\\c\\n\\t/<>&'`, '"a\\"b\\\\c\\n\\t/<>&"'],
      ["'é 数据 😀'", '"é 数据 😀"'],
    ],
  },
  {
    type: 'NCHAR(8)',
    shown: 'NCHAR',
    length: 8,
    values: [
      ["''", '""'],
      ["'数据库数据库数据'", '"数据库数据库数据"'],
    ],
  },
  {
    type: 'VARBINARY(8)',
    shown: 'VARBINARY',
    length: 8,
    ordered: false,
    values: [
      ["''", '""'],
      ["'\\x00ff'", '"00ff"'],
      ["'\\xDEAD01'", '"dead01"'],
      ["'ab'", '"6162"'],
    ],
  },
  {
    type: 'GEOMETRY(128)',
    shown: 'GEOMETRY',
    length: 128,
    ordered: false,
    values: [
      ["'POINT(1 2)'", wkbPoint],
      ["'LINESTRING(0 0, 1 1)'", wkbLine],
      ["'POLYGON((0 0, 1 0, 1 1, 0 0))'", wkbSquare],
    ],
  },
  {
    type: 'BLOB',
    length: 4_194_304,
    columnOnly: true,
    ordered: false,
    values: [
      ["''", '""'],
      ["'abc'", '"616263"'],
    ],
  },
  {
    type: 'TIMESTAMP',
    length: 8,
    values: [
      ['-1', '"1969-12-31T23:59:59.999Z"'],
      ['0', '"1970-01-01T00:00:00.000Z"'],
      ['1700000000123', '"2023-11-14T22:13:20.123Z"'],
      ["'2024-02-29T23:59:59.9996+00:30'", '"2024-02-29T23:29:59.999Z"'],
    ],
  },
];
