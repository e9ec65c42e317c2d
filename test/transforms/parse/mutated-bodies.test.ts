import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { readInfluxQl } from '../../../src/http/handlers/influx/influx-ql.js';
import { FaultError } from '../../../src/model/fault.js';
import { type PointFormat, pointParsers } from '../../../src/pipelines/formats.js';
import type { ParseOptions } from '../../../src/transforms/points/parse-options.js';
import { SeriesDictionary } from '../../../src/transforms/points/series-dictionary.js';
import { cases } from '../../support/cases.js';
import { inputBodies } from '../../support/inputs/input-bodies.js';
import { databaseOf } from '../../support/messages/line-protocol.js';
import { packed } from '../../support/messages/remote-messages.js';
import { mutated, type Random, randomFrom } from '../../support/mutations.js';

/** Bodies per input; `MUTATIONS=5000` takes as many. */
const count = Number(process.env.MUTATIONS ?? cases(300, 8_000, 100_000));
/** Longest time of one body; a busy machine may take a hundred times as long as an idle one. */
const slowMs = 5_000;
/** What the parsers may hold after any number of bodies, more than before. */
const mostGrownBytes = 64 * 1024 * 1024;

/** What a parser knows of a database, whose sub-tables nobody keeps. */
function optionsOf(precision: ParseOptions['precision']): ParseOptions {
  let id = 0n;
  return {
    database: databaseOf('ns'),
    precision,
    nowTicks: 1_767_225_600_000_000_000n,
    ttl: 0,
    schema: { table: () => undefined, view: () => undefined },
    dictionary: new SeriesDictionary(10_000, 4 * 1024 * 1024),
    makeSubTable: (superTable, name, tags, ttl) => ({ key: ++id, id, name, superTable, tags, ttl, registered: false }),
    maxMessageBytes: 1024 * 1024,
  };
}

type Body = (random: Random) => Buffer;

const pick = (bodies: readonly Buffer[], random: Random): Buffer => bodies[random(bodies.length)]!;
const spoilt =
  (bodies: readonly Buffer[]): Body =>
  (random) =>
    mutated(pick(bodies, random), random);
/** A message that is spoilt before it is compressed, or after. */
const spoiltSnappy =
  (bodies: readonly Buffer[]): Body =>
  (random) =>
    random(4) === 0 ? mutated(packed(pick(bodies, random)), random) : packed(mutated(pick(bodies, random), random));
const pushed: Body = (random) =>
  Buffer.concat([
    Buffer.from(random(2) === 0 ? 'text {"job":"j"}\n' : 'openmetrics {}\n'),
    mutated(pick(inputBodies.exposition, random), random),
  ]);

const inputs: readonly (readonly [
  input: string,
  format: PointFormat,
  precision: ParseOptions['precision'],
  body: Body,
])[] = [
  ['OTLP in protobuf, over HTTP and gRPC', 'otlp', 'ns', spoilt(inputBodies.otlp)],
  ['OTLP in JSON', 'otlp-json', 'ns', spoilt(inputBodies.otlpJson)],
  ['remote write 1', 'remote-write', 'ms', spoiltSnappy(inputBodies.remoteWrite1)],
  ['remote write 2', 'remote-write', 'ms', spoiltSnappy(inputBodies.remoteWrite2)],
  ["InfluxDB's writes", 'lineproto', 'ns', spoilt(inputBodies.lines)],
  ['pushed and imported text', 'exposition', 'ms', pushed],
  ["OpenTSDB's points in JSON", 'opentsdb-json', 'ns', spoilt(inputBodies.openTsdb)],
  ['telnet lines', 'tsdbwire-telnet', 'ns', spoilt(inputBodies.telnet)],
  ['Graphite', 'graphite', 'ns', spoilt(inputBodies.graphite)],
];

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

for (const [input, format, precision, bodyOf] of inputs) {
  test(`${input}: whatever comes is read or refused, quickly and without a trace`, (t) => {
    const options = optionsOf(precision);
    const random = randomFrom(20_260_101);
    const read = pointParsers[format];
    const before = heapBytes();
    let [good, refused] = [0, 0];
    for (let n = 0; n < count; n++) {
      const body = bodyOf(random);
      const begun = performance.now();
      try {
        const { blocks, rows, rejectedRows, rejects } = read(body, options);
        const stored = blocks.reduce((sum, block) => sum + block.rows, 0);
        if (stored !== rows || rejects.length > rejectedRows) t.fail(`${rows} rows, ${stored} stored: ${hex(body)}`);
        good++;
      } catch (error) {
        if (!(error instanceof FaultError) || error.fault.kind !== 'parameter') t.fail(`${error}: ${hex(body)}`);
        refused++;
      }
      if (performance.now() - begun > slowMs) t.fail(`slow: ${hex(body)}`);
    }
    t.true(good > count / 100, `${good} good, ${refused} refused`);
    options.dictionary.clear();
    const grown = heapBytes() - before;
    t.true(grown < mostGrownBytes, `${grown} bytes more`);
  });
}

test("InfluxDB's queries: whatever comes is understood or said not to be", (t) => {
  const random = randomFrom(20_260_101);
  for (let n = 0; n < count; n++) {
    const text = spoilt(inputBodies.queries)(random).toString();
    for (const statement of readInfluxQl(text)) {
      if (!('problem' in statement) && statement.kind === 'create-database' && statement.name === '') t.fail(text);
    }
  }
  t.pass();
});

function hex(body: Buffer): string {
  return body.toString('hex', 0, 2_000);
}
