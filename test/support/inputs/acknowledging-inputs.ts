import { attributesOf, otlpRequest, requestOf } from '../messages/otlp-messages.js';
import { labelsOf, writeBody } from '../messages/remote-messages.js';
import { type Answer, type Input, post, sql } from '../service/processes.js';

/** A row as every input can carry it: a number of one writer under one name, at a time in milliseconds. */
export interface NumberedRow {
  readonly name: string;
  readonly writer: string;
  readonly ms: number;
  readonly number: number;
}

/** An input whose answer says that the rows are kept. */
export interface AcknowledgingInput {
  readonly name: string;
  /** Column of the number. */
  readonly column: string;
  /** Where the rows of a name and, unless it is left out, of one writer are afterwards: what stands behind FROM. */
  readonly from: (database: string, name: string, writer?: string) => string;
  /** Sends rows to a database; resolves with whether they were taken, rejects when the connection breaks. */
  readonly send: (input: Input, database: string, rows: readonly NumberedRow[]) => Promise<boolean>;
}

/** Tables by name with the writer as a tag. */
const named: AcknowledgingInput['from'] = (database, name, writer) =>
  `${database}.${name}${writer === undefined ? '' : ` WHERE w = '${writer}'`}`;

/** One table with all labels in an object. */
const labelled: AcknowledgingInput['from'] = (database, name, writer) =>
  `${database}.metrics WHERE labels->'__name__' = '${name}'${writer === undefined ? '' : ` AND labels->'w' = '${writer}'`}`;

const taken = async (answer: Promise<Answer>): Promise<boolean> => {
  const { status } = await answer;
  return status >= 200 && status < 300;
};

const asLines = (rows: readonly NumberedRow[]): string =>
  rows.map(({ name, writer, ms, number }) => `${name},w=${writer} n=${number}i ${ms}`).join('\n');

const asTelnet = (rows: readonly NumberedRow[]): string =>
  rows.map(({ name, writer, ms, number }) => `put ${name} ${ms} ${number} w=${writer}\n`).join('');

const asJson = (rows: readonly NumberedRow[]): string =>
  JSON.stringify(
    rows.map(({ name, writer, ms, number }) => ({ metric: name, timestamp: ms, value: number, tags: { w: writer } })),
  );

const asExposition = (rows: readonly NumberedRow[]): string =>
  rows.map(({ name, writer, ms, number }) => `${name}{w="${writer}"} ${number} ${ms}\n`).join('');

const asSamples = (rows: readonly NumberedRow[]): Buffer =>
  writeBody(
    rows.map(({ name, writer, ms, number }) => ({
      labels: labelsOf({ __name__: name, w: writer }),
      samples: [{ value: number, timestamp: ms }],
    })),
  );

const asPoints = (rows: readonly NumberedRow[]): Buffer =>
  otlpRequest(
    requestOf(
      rows.map(({ name, writer, ms, number }) => ({
        name,
        gauge: {
          dataPoints: [{ attributes: attributesOf({ w: writer }), timeUnixNano: `${ms}000000`, asDouble: number }],
        },
      })),
    ),
  );

const asInsert = (database: string, rows: readonly NumberedRow[]): string => {
  const each = rows.map(
    ({ name, writer, ms, number }) =>
      `${database}.${name}_${writer} USING ${database}.${name} TAGS ('${writer}') VALUES (${ms}, ${number})`,
  );
  return `INSERT INTO ${each.join(' ')}`;
};

const protobuf = { 'content-type': 'application/x-protobuf' };

/** Every HTTP input of writes. The tables of SQL are not made by its rows: see `tablesOfStatements`. */
export const acknowledgingInputs: readonly AcknowledgingInput[] = [
  {
    name: 'lines',
    column: 'n',
    from: named,
    send: ({ port }, db, rows) => taken(post(port, `/lineproto/v1/write?db=${db}&precision=ms`, asLines(rows))),
  },
  {
    name: 'statements',
    column: 'n',
    from: named,
    send: async (input, db, rows) => (await sql(input, asInsert(db, rows))).code === 0,
  },
  {
    name: 'influx1',
    column: 'n',
    from: named,
    send: ({ port }, db, rows) => taken(post(port, `/write?db=${db}&precision=ms`, asLines(rows))),
  },
  {
    name: 'influx2',
    column: 'n',
    from: named,
    send: ({ port }, db, rows) => taken(post(port, `/api/v2/write?bucket=${db}&org=o&precision=ms`, asLines(rows))),
  },
  {
    name: 'telnet',
    column: '_value',
    from: named,
    send: ({ port }, db, rows) => taken(post(port, `/tsdbwire/v1/put/telnet/${db}`, asTelnet(rows))),
  },
  {
    name: 'json',
    column: '_value',
    from: named,
    send: ({ port }, db, rows) => taken(post(port, `/tsdbwire/v1/put/json/${db}`, asJson(rows))),
  },
  {
    name: 'samples',
    column: 'v',
    from: labelled,
    send: ({ port }, db, rows) => taken(post(port, `/metricsdb/v1/remote_write/${db}`, asSamples(rows))),
  },
  {
    name: 'exposition',
    column: '`value`',
    from: named,
    send: ({ port }, db, rows) => taken(post(port, `/api/v1/import/prometheus?db=${db}`, asExposition(rows))),
  },
  {
    name: 'points',
    column: 'gauge',
    from: named,
    send: ({ port }, db, rows) => taken(post(port, `/v1/metrics?db=${db}`, asPoints(rows), protobuf)),
  },
];

/** Statements that make the super tables of the given names, which rows by SQL need. */
export const tablesOfStatements = (database: string, names: readonly string[]): string[] =>
  names.map((name) => `CREATE STABLE ${database}.${name} (ts TIMESTAMP, n BIGINT) TAGS (w BINARY(16))`);
