// Copies the past of a Prometheus into the table that its remote write fills. Reads what `promtool tsdb dump` prints:
//   promtool tsdb dump /var/lib/prometheus | node prometheus.mjs http://user:password@sluice:6041 DATABASE
import { createInterface } from 'node:readline';

const [target, database] = process.argv.slice(2);
if (database === undefined) throw new Error('Usage: prometheus.mjs TARGET_URL DATABASE < DUMP');
const samplesPerRequest = 5000;
const most = 10;
const { origin, username, password } = new URL(target);
const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');

async function post(path, body, headers = {}) {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(new URL(path, origin), {
      method: 'POST',
      body,
      headers: { authorization: `Basic ${login}`, ...headers },
    });
    if (answer.ok) return;
    // 503 says that the service is busy for the moment.
    if (answer.status !== 503 || attempt === most) throw new Error(`${answer.status} ${await answer.text()}`);
    await new Promise((resolve) => setTimeout(resolve, attempt * 500));
  }
}

/** A whole number as protobuf and snappy write it: seven bits per byte. */
function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

/** A field of protobuf that holds bytes. */
const field = (number, bytes) => Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);

function sample(value, time) {
  const number = Buffer.alloc(9);
  number[0] = (1 << 3) | 1;
  number.writeDoubleLE(value, 1);
  return field(2, Buffer.concat([number, varint(2 << 3), varint(time)]));
}

/** A snappy block without any compression: its length, and all as literals. */
function snappy(bytes) {
  const parts = [varint(bytes.length)];
  for (let at = 0; at < bytes.length; at += 65536) {
    const part = bytes.subarray(at, at + 65536);
    const head = Buffer.from([61 << 2, 0, 0]);
    head.writeUInt16LE(part.length - 1, 1);
    parts.push(head, part);
  }
  return Buffer.concat(parts);
}

/** The labels of `{__name__="up", job="a"}` as protobuf, in the order of their names. */
function labels(text) {
  const found = [...text.matchAll(/([\w:]+)=("(?:[^"\\]|\\.)*")/g)].map(([, name, value]) => [name, JSON.parse(value)]);
  found.sort(([one], [other]) => (one < other ? -1 : 1));
  return found.map(([name, value]) =>
    field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))])),
  );
}

await post('/rest/sql', `CREATE DATABASE IF NOT EXISTS \`${database}\``);
let series = new Map();
let waiting = 0;
let count = 0;
async function send() {
  const body = Buffer.concat(
    [...series].map(([text, samples]) => field(1, Buffer.concat([...labels(text), ...samples]))),
  );
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  if (waiting > 0) await post(`/metricsdb/v1/remote_write/${encodeURIComponent(database)}`, snappy(body), headers);
  count += waiting;
  waiting = 0;
  series = new Map();
}
for await (const line of createInterface({ input: process.stdin })) {
  const [, text, value, time] = /^(\{.*\}) (\S+) (-?\d+)$/.exec(line) ?? [];
  // NaN marks the end of a series, and is nothing that is kept.
  if (text === undefined || value === 'NaN') continue;
  const number = /Inf$/.test(value) ? Number(value.replace('Inf', 'Infinity')) : Number(value);
  const samples = series.get(text) ?? [];
  samples.push(sample(number, time));
  series.set(text, samples);
  if (++waiting >= samplesPerRequest) await send();
}
await send();
console.log(`${count} samples`);
