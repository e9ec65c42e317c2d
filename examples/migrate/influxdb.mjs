// Copies a database of InfluxDB 1 through its HTTP interface: every retention policy and measurement, with types and nanoseconds.
//   node influxdb.mjs http://user:password@influx:8086 DATABASE http://user:password@sluice:6041 [DATABASE THERE]
// Empty texts are left out, because InfluxDB's CSV does not tell them from missing values.
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';

const [source, database, target, there = database] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: influxdb.mjs SOURCE_URL DATABASE TARGET_URL [DATABASE THERE]');
const linesPerRequest = 5000;
const most = 10;

/** A request with the user and password that stand in the address. */
async function request(address, path, options = {}) {
  const { origin, username, password } = new URL(address);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const headers = { ...options.headers, ...(username === '' ? {} : { authorization: `Basic ${login}` }) };
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(new URL(path, origin), { ...options, headers });
    if (answer.ok) return answer;
    // 503 says that the service is busy for the moment.
    if (answer.status !== 503 || attempt === most)
      throw new Error(`${origin}: ${answer.status} ${await answer.text()}`);
    await new Promise((resolve) => setTimeout(resolve, attempt * 500));
  }
}

/** Rows of a statement as texts by column. */
async function* rows(statement) {
  const asked = new URLSearchParams({ db: database, q: statement, epoch: 'ns', chunked: 'true', chunk_size: '10000' });
  const answer = await request(source, `/query?${asked}`, { headers: { accept: 'application/csv' } });
  const records = Readable.fromWeb(answer.body).pipe(parse({ relax_column_count: true, skip_empty_lines: true }));
  let columns = [];
  for await (const record of records) {
    if (record[0] === 'name' && record[1] === 'tags') columns = record;
    else yield Object.fromEntries(record.map((value, at) => [columns[at], value]));
  }
}

async function listed(statement, column) {
  const found = [];
  for await (const row of rows(statement)) found.push(row[column]);
  return found;
}

const quoted = (name) => `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
const escaped = (text) => text.replaceAll(/[,= ]/g, '\\$&');
const written = {
  float: (value) => value,
  integer: (value) => `${value}i`,
  unsigned: (value) => `${value}u`,
  boolean: (value) => value,
  string: (value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
};

async function copy(policy, measurement) {
  const from = `${quoted(policy)}.${quoted(measurement)}`;
  const tags = await listed(`SHOW TAG KEYS FROM ${from}`, 'tagKey');
  const types = new Map();
  for await (const { fieldKey, fieldType } of rows(`SHOW FIELD KEYS FROM ${from}`)) types.set(fieldKey, fieldType);
  let lines = [];
  let count = 0;
  const send = async () => {
    const into = new URLSearchParams({ db: there, precision: 'ns' });
    if (lines.length > 0) await request(target, `/write?${into}`, { method: 'POST', body: lines.join('\n') });
    count += lines.length;
    lines = [];
  };
  for await (const row of rows(`SELECT * FROM ${from}`)) {
    const key = tags.filter((tag) => row[tag]).map((tag) => `,${escaped(tag)}=${escaped(row[tag])}`);
    const fields = [...types].filter(([name]) => row[name]);
    const values = fields.map(([name, type]) => `${escaped(name)}=${written[type](row[name])}`);
    if (values.length > 0) lines.push(`${escaped(measurement)}${key.join('')} ${values.join(',')} ${row.time}`);
    if (lines.length >= linesPerRequest) await send();
  }
  await send();
  console.log(`${policy}.${measurement}: ${count} rows`);
}

await request(target, '/rest/sql', {
  method: 'POST',
  body: `CREATE DATABASE IF NOT EXISTS \`${there}\` PRECISION 'ns'`,
});
for (const policy of await listed(`SHOW RETENTION POLICIES ON ${quoted(database)}`, 'name'))
  for (const measurement of await listed('SHOW MEASUREMENTS', 'name')) await copy(policy, measurement);
