import { gzipSync } from 'node:zlib';
import test from 'ava';
import { otlpAnswer, otlpRequest, requestOf } from '../support/messages/otlp-messages.js';
import { labelsOf, writeBody, writeBody2 } from '../support/messages/remote-messages.js';
import { basicOf, type Reply, startService } from '../support/service/service.js';

const { service, end } = await startService(
  '--limits.messageBytes=64KB',
  '--limits.inflatedBytes=256KB',
  '--limits.lineBytes=16KB',
);
test.after.always(end);
test.before(() => service.run("CREATE USER eve PASS 'eveSecret1!'"));

const seconds = Math.floor(Date.now() / 1000);
const millis = seconds * 1000;
const nanos = String(BigInt(seconds) * 1_000_000_000n);
/** More bytes than any of the limits. */
const filler = 'x'.repeat(400_000);

/** A batch of which a part is bad; a wrong password; none; a user without rights; a database that is not there; a body that is too long. */
type Refused = 'halfBad' | 'stranger' | 'nobody' | 'forbidden' | 'unknown' | 'long';

/** An input, and what its clients send it. */
interface Input {
  readonly path: (database: string) => string;
  readonly headers?: Record<string, string>;
  readonly good: string | Buffer;
  /** One good row and one bad one. */
  readonly halfBad: string | Buffer;
  readonly long: string | Buffer;
  readonly stored: 200 | 204;
  /** Status of a short body in gzip that is long once it is inflated. */
  readonly zipped: 400 | 413 | 415;
  /** Status and text of each answer. */
  readonly says: Readonly<Record<Refused, readonly [status: number, said: RegExp]>>;
  readonly read?: (reply: Reply) => string;
}

const point = (name: string, timeUnixNano: string, path = ''): object => ({
  name,
  description: 'What it is.',
  gauge: { dataPoints: [{ timeUnixNano, asDouble: 1, attributes: [{ key: 'path', value: { stringValue: path } }] }] },
});
const late = '18446744073709551615';
const otlp = {
  good: requestOf([point('good', nanos)]),
  halfBad: requestOf([point('good', nanos), point('bad', late)]),
  long: requestOf([point('long', nanos, filler)]),
};
const asJson = (request: object): string => JSON.stringify(request);
const labels = labelsOf({ __name__: 'up' });
const sample = { value: 1, timestamp: millis };
const remote = {
  good: [{ labels, samples: [sample] }],
  halfBad: [
    { labels, samples: [sample] },
    { labels: [{ name: '', value: 'x' }], samples: [sample] },
  ],
  // It repeats itself, so the long message is a short body.
  long: [{ labels: labelsOf({ __name__: 'up', long: filler }), samples: [sample] }],
};
const lines = { good: 'good v=1', halfBad: 'good v=1\nbad', long: `long v="${filler}"` };
const put = { metric: 'good', timestamp: seconds, value: 1, tags: { a: 'b' } };
const points = {
  good: [put],
  halfBad: [put, { metric: 'bad' }],
  long: [{ ...put, tags: { a: filler } }],
};
const text = { good: 'good 1\n', halfBad: 'good 1\nbad\n', long: `long{a="${filler}"} 1\n` };

/** Remote write and pushed text answer in plain text. */
const plainly = {
  stranger: [401, /^(?:\[0x357\] )?Authentication failure/],
  nobody: [401, /^no auth info input$/],
  forbidden: [403, /^\[0x2644\] Permission denied/],
  unknown: [404, /^\[0x388\] Database not exist/],
} as const;
const remoteInput = {
  path: (database: string) => `/metricsdb/v1/remote_write/${database}`,
  stored: 204,
  zipped: 400,
  says: { ...plainly, halfBad: [400, /^series 2: .*1 rejected, 1 written/], long: [400, /the limit is 65536/] },
} as const;
const textInput = {
  ...text,
  zipped: 400,
  says: { ...plainly, halfBad: [400, /^line 2: .*1 rejected, 1 written/], long: [400, /longer than 65536 bytes/] },
} as const;

const otlpInput = {
  path: (database: string) => `/v1/metrics?db=${database}`,
  stored: 200,
  zipped: 413,
  says: {
    halfBad: [200, /"rejectedDataPoints":"1".*data point 2: .*1 rejected, 1 written/],
    stranger: [401, /"code":16,.*Authentication failure/],
    nobody: [401, /"code":16,.*no auth info/],
    forbidden: [403, /"code":7,.*Permission denied/],
    unknown: [404, /"code":5,.*Database not exist/],
    long: [413, /"code":3,.*longer than 65536 bytes/],
  },
} as const;

const inputs: Readonly<Record<string, Input>> = {
  'OTLP in protobuf': {
    ...otlpInput,
    headers: { 'content-type': 'application/x-protobuf' },
    good: otlpRequest(otlp.good),
    halfBad: otlpRequest(otlp.halfBad),
    long: otlpRequest(otlp.long),
    read: ({ status, bytes }) => JSON.stringify(otlpAnswer(status === 200 ? 'Response' : 'Status', bytes)),
  },
  'OTLP in JSON': {
    ...otlpInput,
    headers: { 'content-type': 'application/json' },
    good: asJson(otlp.good),
    halfBad: asJson(otlp.halfBad),
    long: asJson(otlp.long),
  },
  'InfluxDB 1': {
    path: (database) => `/write?db=${database}`,
    ...lines,
    stored: 204,
    zipped: 413,
    says: {
      halfBad: [400, /^\{"error":"partial write: line 2: .*dropped=1","code":.*\}$/],
      stranger: [401, /^\{"error":"authorization failed: /],
      nobody: [401, /^\{"error":"unable to parse authentication credentials: /],
      forbidden: [403, /^\{"error":"\[0x2644\] Permission denied/],
      unknown: [404, /^\{"error":"database not found: \\"missing\\"",/],
      long: [400, /^\{"error":"partial write: line 1: .*longer than 16384 bytes/],
    },
  },
  'InfluxDB 2': {
    path: (database) => `/api/v2/write?bucket=${database}`,
    ...lines,
    stored: 204,
    zipped: 413,
    says: {
      halfBad: [400, /^\{"code":"invalid","message":"line 2: .*"line":2,"desc":"line 2: .*"\}$/],
      stranger: [401, /^\{"code":"unauthorized",/],
      nobody: [401, /^\{"code":"unauthorized",/],
      forbidden: [403, /^\{"code":"forbidden",/],
      unknown: [404, /^\{"code":"not found","message":"bucket \\"missing\\" not found"/],
      long: [400, /^\{"code":"invalid","message":"line 1: .*longer than 16384 bytes/],
    },
  },
  'InfluxDB 3': {
    path: (database) => `/api/v3/write_lp?db=${database}`,
    ...lines,
    stored: 204,
    zipped: 413,
    says: {
      halfBad: [
        400,
        /^\{"error":"partial write of line protocol occurred","data":\[\{.*"line_number":2,.*dropped=1"\}$/,
      ],
      stranger: [401, /^\{"error":"authorization failed: /],
      nobody: [401, /^\{"error":"unable to parse authentication credentials: /],
      forbidden: [403, /^\{"error":"\[0x2644\] Permission denied/],
      unknown: [404, /^\{"error":"database not found: \\"missing\\"",/],
      long: [
        400,
        /^\{"error":"partial write of .*"original_line":"long v=.*\.\.\.","line_number":1,.*longer than 16384 bytes/,
      ],
    },
  },
  'line protocol': {
    path: (database) => `/lineproto/v1/write?db=${database}`,
    ...lines,
    stored: 204,
    zipped: 400,
    says: {
      halfBad: [400, /^\{"code":"invalid","message":"line 2: .*1 rejected, 1 written.*"line":2,"desc":"line 2: .*"\}$/],
      stranger: [401, /^\{"code":"forbidden",.*Authentication failure/],
      nobody: [401, /^\{"code":"forbidden",.*no auth info/],
      forbidden: [403, /^\{"code":"forbidden",.*Permission denied/],
      unknown: [404, /^\{"code":"not found",.*Database not exist: missing/],
      long: [400, /^\{"code":"invalid",.*line 1: .*longer than 16384 bytes/],
    },
  },
  'telnet lines': {
    path: (database) => `/tsdbwire/v1/put/telnet/${database}`,
    good: `good ${seconds} 1 a=b`,
    halfBad: `good ${seconds} 1 a=b\nbad`,
    long: `long ${seconds} 1 a=${filler}`,
    stored: 204,
    zipped: 400,
    says: {
      halfBad: [400, /^\{"code":400,.*line 2: .*1 rejected, 1 written/],
      stranger: [401, /^\{"code":401,.*Authentication failure/],
      nobody: [401, /^\{"code":401,.*auth needed/],
      forbidden: [403, /^\{"code":403,.*Permission denied/],
      unknown: [404, /^\{"code":404,.*Database not exist: missing/],
      long: [400, /^\{"code":400,.*line 1: .*longer than 16384 bytes/],
    },
  },
  'JSON points': {
    path: (database) => `/tsdbwire/v1/put/json/${database}`,
    good: asJson(points.good),
    halfBad: asJson(points.halfBad),
    long: asJson(points.long),
    stored: 204,
    zipped: 400,
    says: {
      halfBad: [400, /^\{"code":400,.*object 2: .*1 rejected, 1 written/],
      stranger: [401, /^\{"code":401,.*Authentication failure/],
      nobody: [401, /^\{"code":401,.*auth needed/],
      forbidden: [403, /^\{"code":403,.*Permission denied/],
      unknown: [404, /^\{"code":404,.*Database not exist: missing/],
      long: [400, /^\{"code":400,.*object 1: .*the tags are too long/],
    },
  },
  'OpenTSDB itself': {
    path: (database) => `/api/put?summary&db=${database}`,
    good: asJson(points.good),
    halfBad: asJson(points.halfBad),
    long: asJson(points.long),
    stored: 200,
    zipped: 413,
    says: {
      halfBad: [400, /^\{"success":1,"failed":1\}$/],
      stranger: [401, /^\{"error":\{"code":401,.*Authentication failure/],
      nobody: [401, /^\{"error":\{"code":401,.*auth needed/],
      forbidden: [403, /^\{"error":\{"code":403,.*Permission denied/],
      unknown: [404, /^\{"error":\{"code":404,.*Database not exist: missing/],
      long: [400, /^\{"success":0,"failed":1\}$/],
    },
  },
  'imported text': { path: (database) => `/api/v1/import/prometheus?db=${database}`, stored: 204, ...textInput },
  'pushed text': { path: (database) => `/metrics/job/j?db=${database}`, stored: 200, ...textInput },
  'remote write 1': {
    ...remoteInput,
    good: writeBody(remote.good),
    halfBad: writeBody(remote.halfBad),
    long: writeBody(remote.long),
  },
  'remote write 2': {
    ...remoteInput,
    zipped: 415,
    headers: { 'x-prometheus-remote-write-version': '2.0.0', 'content-type': 'application/x-protobuf' },
    good: writeBody2(remote.good),
    halfBad: writeBody2(remote.halfBad),
    long: writeBody2(remote.long),
  },
};

for (const [index, [name, input]] of Object.entries(inputs).entries()) {
  test(`${name}: half-bad batches, strangers, users without rights, unknown databases and long bodies are told in the words of the protocol`, async (t) => {
    const { path, headers = {}, good, stored, says, read = ({ text: said }: Reply) => said } = input;
    const database = `refusals${index}`;
    await service.run(`CREATE DATABASE ${database} PRECISION 'ns'`);
    const send = (body: string | Buffer, to: string, more: object = {}) =>
      service.request({ path: path(to), headers, body, ...more });
    const auth = basicOf('root', 'wrong');
    const answers = {
      halfBad: await send(input.halfBad, database),
      stranger: await send(good, database, { auth }),
      nobody: await send(good, database, { auth: false }),
      forbidden: await send(good, database, { auth: basicOf('eve', 'eveSecret1!') }),
      unknown: await send(good, 'missing'),
      long: await send(input.long, database),
    };
    for (const [kind, reply] of Object.entries(answers)) {
      const [status, said] = says[kind as keyof typeof says];
      t.is(reply.status, status, `${kind}: ${reply.text}`);
      t.regex(read(reply), said, kind);
    }
    const zipped = await send(gzipSync(Buffer.alloc(600_000, '\n')), database, {
      headers: { ...headers, 'content-encoding': 'gzip' },
    });
    t.is(zipped.status, input.zipped, zipped.text);
    const fine = await send(good, database);
    t.is(fine.status, stored, fine.text);
  });
}
