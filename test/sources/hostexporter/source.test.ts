import http from 'node:http';
import test from 'ava';
import { filter, map } from 'rxjs';
import type { Batch, ByteBlock, Target } from '../../../src/model/batch.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import {
  HostexporterSource,
  type HostexporterSourceOptions,
  shownAddress,
} from '../../../src/sources/hostexporter/source.js';
import { sourceContract } from '../../contracts/source-contract.js';
import { silentLog } from '../../support/engine/engine.js';
import { overheard } from '../../support/inputs/unanswered.js';
import { until } from '../../support/until.js';

const target: Target = { database: 'd', user: 'u', createDatabase: false, ttl: 0, precision: 'ns' };
const large = Array.from({ length: 40 }, (_, i) => `metric_${i} ${i}\n`).join('');

/** What each path answers; others wait for ever. */
const pages = new Map<string, string>();
const server = http.createServer((request, response) => {
  const page = pages.get(request.url ?? '');
  if (page !== undefined) response.end(page);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
const address = server.address();
const base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

const sources: HostexporterSource[] = [];
test.after.always(async () => {
  await Promise.all(sources.map((source) => source.stop()));
  server.closeAllConnections();
  server.close();
});

function sourceOf(more: Partial<HostexporterSourceOptions>, gate = new ByteCreditGate(1e6)): HostexporterSource {
  const options: HostexporterSourceOptions = {
    urls: [],
    gatherDurationMs: 1000,
    responseTimeoutMs: 500,
    insecureSkipVerify: true,
    authorization: '',
    maxBodyBytes: 1e6,
    maxScrapes: 1000,
    target,
    ...more,
  };
  const source = new HostexporterSource(options, gate, silentLog);
  sources.push(source);
  return source;
}

const textOf = ({ payload }: Batch<ByteBlock>): string => Buffer.from(payload.bytes).toString();

/** The scrapes themselves, without the line before them; what is said about the target is settled on the way. */
function scrapesOf(source: HostexporterSource) {
  const isScrape = (batch: Batch<ByteBlock>): boolean => {
    if (!textOf(batch).includes('\nup ')) return true;
    batch.settle(delivered(2));
    return false;
  };
  const bare = (batch: Batch<ByteBlock>): Batch<ByteBlock> => {
    const { bytes } = batch.payload;
    return { ...batch, payload: { ...batch.payload, bytes: bytes.subarray(bytes.indexOf(10) + 1) } };
  };
  return source.batches$.pipe(filter(isScrape), map(bare));
}

let contracts = 0;

async function contract() {
  const gate = new ByteCreditGate(64);
  const source = sourceOf({ responseTimeoutMs: 10_000 }, gate);
  const heard = overheard({
    name: source.name,
    batches$: scrapesOf(source),
    start: () => source.start(),
    drain: () => source.drain(),
    stop: () => source.stop(),
  });
  await source.start();
  const id = contracts++;
  const send = async (text: string): Promise<Delivery | undefined> => {
    heard.begin();
    const ending = heard.ending(Buffer.byteLength(text));
    for (const [i, piece] of (text.match(/(.*\n){1,8}/g) ?? []).entries()) {
      pages.set(`/${id}/${i}`, piece);
      await source.scrape(`${base}/${id}/${i}`);
    }
    return ending;
  };
  return { source: heard.source, gate, send };
}

sourceContract(test, 'hostexporter', contract, large);

test('a scrape stands behind its format and address, and is followed by how the target was', async (t) => {
  pages.set('/one', 'a 1\n');
  const source = sourceOf({});
  const seen: string[] = [];
  source.batches$.subscribe((batch) => {
    seen.push(textOf(batch));
    batch.settle(delivered(1));
  });
  await source.scrape(`${base}/one`);
  await source.scrape('http://127.0.0.1:1/none');
  t.is(seen[0], `text ${base}/one\na 1\n`);
  t.regex(
    seen[1] ?? '',
    /^text http:\S+\/one\n# TYPE up gauge\nup 1\n# TYPE scrape_duration_seconds gauge\nscrape_duration_seconds 0\.\d+\n$/,
  );
  t.regex(seen[2] ?? '', /^text http:\/\/127\.0\.0\.1:1\/none\n# TYPE up gauge\nup 0\n/);
  t.like(source.counts, { scrapes: 2, failedScrapes: 1 });
});

test('a long scrape goes out in its pieces, which others have a turn between', async (t) => {
  pages.set('/long', 'a 1\n');
  const pieces = ['a 1\n', 'b 2\n', 'c 3\n'].map((text) => ({ bytes: Buffer.from(text) }));
  const source = sourceOf({ piecesOf: () => [...pieces, { bytes: Buffer.alloc(0), tooLong: true }] });
  const seen: string[] = [];
  let turns = 0;
  source.batches$.subscribe((batch) => {
    seen.push(`${textOf(batch)}${turns}`);
    setImmediate(() => turns++);
    batch.settle(delivered(1));
  });
  await source.scrape(`${base}/long`);
  t.deepEqual(seen.slice(0, 3), ['a 1\n0', 'b 2\n1', 'c 3\n2']);
  t.is(seen.length, 4);
});

test('all pieces of a scrape, and how its target was, have the time at which it began', async (t) => {
  pages.set('/timed', 'a 1\n');
  const pieces = ['a 1\n', 'b 2\n'].map((text) => ({ bytes: Buffer.from(text) }));
  const source = sourceOf({ piecesOf: () => pieces });
  const times: (bigint | undefined)[] = [];
  source.batches$.subscribe((batch) => {
    times.push(batch.target.reading?.nowMicros);
    batch.settle(delivered(1));
  });
  const begun = BigInt(Date.now()) * 1_000n;
  await source.scrape(`${base}/timed`);
  t.is(times.length, 3);
  t.deepEqual([...new Set(times)], [times[0]]);
  // The two clocks may be a few milliseconds apart.
  t.true((times[0] ?? 0n) > begun - 100_000n && (times[0] ?? 0n) < begun + 60_000_000n);
});

test('credentials of an address stay hidden', (t) => {
  t.is(shownAddress('http://ann:secret@host:1/x@y'), 'http://host:1/x@y');
  t.is(shownAddress('http://host/x@y'), 'http://host/x@y');
});

test('a target that does not answer holds up no other one', async (t) => {
  pages.set('/quick', 'a 1\n');
  const urls = [`${base}/slow`, `${base}/quick`];
  const source = sourceOf({ urls, gatherDurationMs: 200, responseTimeoutMs: 1_000 });
  let quick = 0;
  scrapesOf(source).subscribe((batch) => {
    quick++;
    batch.settle(delivered(1));
  });
  await source.start();
  await until(() => quick >= 4, 10_000);
  t.true(source.counts.skippedScrapes >= 2);
  t.true(quick >= 4);
});

test.serial('two hundred targets every two seconds stay on schedule', async (t) => {
  const urls = Array.from({ length: 200 }, (_, i) => `${base}/target/${i}`);
  for (let i = 0; i < urls.length; i++) pages.set(`/target/${i}`, `# TYPE a gauge\na{i="${i}"} ${i}\n`);
  const source = sourceOf({ urls, gatherDurationMs: 2_000, responseTimeoutMs: 1_900 });
  const counts = new Map<string, number>();
  scrapesOf(source).subscribe((batch) => {
    counts.set(textOf(batch), (counts.get(textOf(batch)) ?? 0) + 1);
    batch.settle(delivered(1));
  });
  const begun = performance.now();
  await source.start();
  const isTwice = (): boolean => counts.size === 200 && [...counts.values()].every((count) => count >= 2);
  t.true(await until(isTwice, 60_000));
  t.true(Math.max(...counts.values()) - Math.min(...counts.values()) <= 2, 'no target runs ahead of the others');
  // A machine that is too busy for the schedule leaves scrapes out.
  const isOnSchedule = performance.now() - begun < 5_000;
  const { failedScrapes, skippedScrapes } = source.counts;
  if (isOnSchedule) t.deepEqual([failedScrapes, skippedScrapes], [0, 0]);
  await source.stop();
});
