import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { askRaw, basic, type Reply, root } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

/** What one client wrote, as the file beside its bytes tells it. */
interface Recording {
  readonly precision: string | null;
  readonly gzip?: boolean;
  readonly request?: {
    readonly method: string;
    readonly http_version: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly rejected_lines?: readonly { readonly line: string }[];
  readonly points: readonly Point[];
}

interface Point {
  readonly measurement: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, { readonly type: string; readonly value: string | number | boolean }>>;
  readonly timestamp: string | null;
}

const directory = new URL('../../../fixtures/lineproto/', import.meta.url);
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

const columnTypes: Readonly<Record<string, string>> = {
  float: 'DOUBLE',
  int: 'BIGINT',
  uint: 'BIGINT UNSIGNED',
  bool: 'BOOL',
  string: 'VARCHAR',
};

/** Nanoseconds in a tick. */
const nanos: Readonly<Record<string, bigint>> = {
  n: 1n,
  ns: 1n,
  u: 1000n,
  us: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/**
 * Recordings of which a part is refused, with the first line that is: a field keeps the type of its first line, and an
 * integer must fit its type. The `points` of a recording say nothing about either.
 */
const refusals: Readonly<
  Record<string, { readonly line: number; readonly rejected: number; readonly lost: readonly string[] }>
> = {
  'collectd-5.12-write_influxdb_udp-1': { line: 4, rejected: 1, lost: ['processes fork_rate'] },
  'collectd-5.12-write_influxdb_udp-2': { line: 5, rejected: 3, lost: ['fix_big gauge'] },
};

const { service, end } = await sharedService();
test.after.always(end);

for (const [index, name] of names.entries()) {
  const recording: Recording = JSON.parse(readFileSync(new URL(`${name}.json`, directory), 'utf8'));
  const bytes = readFileSync(new URL(`${name}.bin`, directory));
  const database = `recording_${index}`;

  test(`${name}: every value that its client sent is read back`, async (t) => {
    const before = BigInt(Date.now()) * 1_000_000n;
    const reply = await send(recording, bytes, database);
    const refused = refusals[name];
    if (refused === undefined) t.deepEqual([reply.status, reply.text], [204, '']);
    else {
      t.is(reply.status, 400);
      const { line, message } = JSON.parse(reply.text);
      t.is(line, refused.line, message);
      t.regex(message, new RegExp(`^line ${line}: .*${refused.rejected} rejected`));
    }
    const after = BigInt(Date.now()) * 1_000_000n;
    const points = recording.points.filter(
      ({ measurement, tags }) => !(refused?.lost ?? []).includes(`${measurement} ${tags.type}`),
    );
    for (const table of new Set(points.map((point) => point.measurement))) {
      const expected = points.filter((point) => point.measurement === table);
      const { types, rows } = await readTable(database, table);
      for (const [tag, type] of expected.flatMap((point) =>
        Object.keys(point.tags).map((key) => [key, 'NCHAR'] as const),
      ))
        t.is(types.get(tag), type, `tag ${tag} of ${table}`);
      for (const { fields } of expected)
        for (const [field, { type }] of Object.entries(fields))
          t.is(types.get(field), columnTypes[type], `field ${field} of ${table}`);
      for (const { tags, fields, timestamp } of expected) {
        const matching = rows.filter((row) => {
          const time = nanosOf(String(row._ts));
          const inTime =
            timestamp === null
              ? time >= before && time <= after
              : time === BigInt(timestamp) * nanos[recording.precision ?? 'ns']!;
          return inTime && Object.entries(tags).every(([tag, value]) => row[tag] === value);
        });
        const alike = matching.filter((row) =>
          Object.entries(fields).every(([field, { value }]) => same(row[field], value)),
        );
        t.true(alike.length > 0, `${table} ${JSON.stringify({ tags, fields, timestamp })} in ${JSON.stringify(rows)}`);
      }
      // No value but those that were sent, the tags and the times.
      const values = rows.flatMap((row) => Object.values(row)).filter((value) => value !== null).length;
      const sent = new Map(
        expected.flatMap(({ tags, fields, timestamp }) => {
          const key = JSON.stringify([tags, timestamp]);
          return [...Object.keys(tags), ...Object.keys(fields), '_ts'].map((name) => [`${key} ${name}`, true]);
        }),
      );
      t.is(values, sent.size, table);
      // Lines of one series and time are one row.
      const keys = new Set(expected.map(({ tags, timestamp }) => JSON.stringify([tags, timestamp])));
      t.is(rows.length, keys.size, table);
    }
    const tables = await service.rows(`SHOW ${database}.STABLES`);
    t.is(tables.length, new Set(points.map((point) => point.measurement)).size);
  });
}

/** Sends a recording the way its client did, to this service's route. */
function send({ request, precision }: Recording, bytes: Buffer, database: string): Promise<Reply> {
  const query = { db: database, ...(precision === null ? {} : { precision }) };
  if (request === undefined) return service.write(bytes, query);
  const { 'Transfer-Encoding': chunked, ...headers } = request.headers;
  const sent = Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key, value.startsWith('Basic') ? basic : value]),
  );
  // A token is not for this route; such clients are configured with a user and a password in the address.
  const withToken = Object.values(sent).some((value) => value.startsWith('Token'));
  const full = withToken ? { ...query, u: root.user, p: root.password } : query;
  if (request.http_version === '1.0') return sendOld(full, sent, bytes);
  const body = chunked === undefined ? bytes : [bytes.subarray(0, 7), bytes.subarray(7)];
  return service.write(body, full, { method: request.method, headers: sent, auth: false });
}

/** A request of HTTP/1.0, which closes its connection. */
async function sendOld(
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  bytes: Buffer,
): Promise<Reply> {
  const lines = Object.entries({ ...headers, 'Content-Length': String(bytes.length) }).map(
    ([key, value]) => `${key}: ${value}\r\n`,
  );
  const head = `POST /lineproto/v1/write?${new URLSearchParams(query)} HTTP/1.0\r\n${lines.join('')}\r\n`;
  const answer = await askRaw(service.port, Buffer.concat([Buffer.from(head), bytes]));
  const [top = '', ...rest] = answer.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  return { status: Number(top.split(' ')[1]), headers: {}, text: body, bytes: Buffer.from(body) };
}

async function readTable(database: string, table: string) {
  const name = `${database}.\`${table}\``;
  const described = await service.rows(`DESCRIBE ${name}`);
  const { body } = await service.sql(`SELECT * FROM ${name}`);
  const columns = body.column_meta.map(([column]) => column);
  const rows = body.data.map(
    (row): Record<string, unknown> => Object.fromEntries(columns.map((column, i) => [column, row[i]])),
  );
  return { types: new Map(described.map(([field, type]) => [String(field), String(type)])), rows };
}

/** Recordings keep integers as text. */
function same(read: unknown, recorded: string | number | boolean): boolean {
  return typeof read === 'number' && typeof recorded === 'string' ? String(read) === recorded : read === recorded;
}

function nanosOf(time: string): bigint {
  const [, whole = '', fraction = ''] = /^(.*)\.(\d{9})Z$/.exec(time) ?? [];
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction);
}
