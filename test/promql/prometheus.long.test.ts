import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { treeOf } from '../../src/promql/language/json.js';
import { parseQuery } from '../../src/promql/language/parse.js';
import { formatQuery } from '../../src/promql/language/print.js';
import { QueryError } from '../../src/promql/query-error.js';
import { moreCases } from '../support/cases.js';
import { writeBody } from '../support/messages/remote-messages.js';
import { resultOf } from '../support/promql/evaluated.js';
import { MemorySource } from '../support/promql/memory-source.js';
import { freePort } from '../support/service/free-ports.js';
import { directoryFor, run } from '../support/service/processes.js';
import { skipped } from '../support/skipped.js';
import { comesTrue } from '../support/until.js';

/** Prometheus 3 as `.ci/build-agents` builds it. */
const program = join(homedir(), 'go/bin/prometheus-3');

const startMs = 1_700_000_000_000;

/** Series with gaps, resets, stale markers, NaN and infinities, the same in every run. */
function series(): ConstructorParameters<typeof MemorySource>[0] {
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % below;
  };
  return ['a_total', 'b_total', 'c'].flatMap((name) =>
    ['x', 'y', 'z'].flatMap((job) =>
      ['1', '2'].map((code) => {
        let value = random(100);
        const samples: (readonly [number, number | undefined])[] = [];
        for (let i = 0; i < 60; i++) {
          if (random(8) === 0) continue;
          const ms = startMs + i * 15_000 + random(400);
          const special = name === 'c' ? random(40) : 99;
          if (random(40) === 0) samples.push([ms, undefined]);
          else if (special < 3)
            samples.push([ms, [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY][special]]);
          else samples.push([ms, value]);
          value = name === 'c' ? random(800) / 8 - 50 : random(15) === 0 ? random(5) : value + random(200) / 8;
        }
        return { labels: { __name__: name, job, code }, samples };
      }),
    ),
  );
}

const selector = fc
  .tuple(
    fc.constantFrom('a_total', 'b_total', 'c'),
    fc.constantFrom('', '{job="x"}', '{job=~"x|y"}', '{code!="1"}', '{job!~"z.*",code=~".+"}', '{job="none"}'),
  )
  .map(([name, matchers]) => name + matchers);
const modifier = fc.constantFrom(
  '',
  '',
  '',
  ' offset 1m',
  ' offset -45s',
  ' @ 1700000300',
  ' @ end()',
  ' @ start() offset 30s',
);
/** Of subqueries: Prometheus moves nested ones that are pinned to other times than they say. */
const subqueryModifier = fc.constantFrom('', '', ' offset 1m', ' offset -30s');
const range = fc.constantFrom('[30s]', '[1m]', '[5m]', '[3m7s]');
const overTime = fc.constantFrom(
  ...['rate', 'increase', 'delta', 'irate', 'idelta', 'deriv', 'changes', 'resets'],
  ...['sum', 'avg', 'min', 'max', 'count', 'stddev', 'stdvar', 'last', 'present', 'absent'].map(
    (name) => `${name}_over_time`,
  ),
);
const ofNumbers = fc.constantFrom(
  'abs',
  'ceil',
  'floor',
  'sgn',
  'exp',
  'ln',
  'sqrt',
  'round',
  'absent',
  'timestamp',
  'sort',
);
const aggregation = fc.constantFrom('sum', 'avg', 'min', 'max', 'count', 'group', 'stddev', 'stdvar', 'quantile');
const grouping = fc.constantFrom('', ' by (job)', ' by (code, job)', ' without (job)', ' by (none)', ' without ()');
const operator = fc.constantFrom(
  '+',
  '-',
  '*',
  '/',
  '%',
  '^',
  '==',
  '!=',
  '>',
  '<=',
  '> bool',
  '== bool',
  'and',
  'or',
  'unless',
  'atan2',
);
const matching = fc.constantFrom('', '', ' on (job)', ' ignoring (code)', ' on (job, code)', ' on ()');

/** Expressions that are vectors. */
const { vector } = fc.letrec<{ vector: string }>((tie) => ({
  vector: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(selector, modifier).map((parts) => parts.join('')),
    fc
      .tuple(overTime, selector, range, modifier)
      .map(([name, each, window, more]) => `${name}(${each}${window}${more})`),
    fc
      .tuple(overTime, tie('vector'), subqueryModifier)
      .map(([name, each, more]) => `${name}((${each})[3m:45s]${more})`),
    fc.tuple(ofNumbers, tie('vector')).map(([name, each]) => `${name}(${each})`),
    fc
      .tuple(aggregation, grouping, tie('vector'))
      .map(([name, labels, each]) =>
        name === 'quantile' ? `quantile${labels}(0.3, ${each})` : `${name}${labels}(${each})`,
      ),
    fc.tuple(tie('vector'), operator, matching, tie('vector')).map(([left, sign, how, right]) => {
      const isGrouped = how.startsWith(' on (job)') && !['and', 'or', 'unless'].includes(sign);
      return `(${left} ${sign}${how}${isGrouped ? ' group_left' : ''} ${right})`;
    }),
    fc
      .tuple(
        tie('vector'),
        fc.constantFrom('+', '*', '/', '>', '<= bool', '^'),
        fc.constantFrom('2', '-0.5', 'Inf', 'time()', 'scalar(c)'),
      )
      .map((parts) => `(${parts.join(' ')})`),
    tie('vector').map((each) => `-(${each})`),
    fc.tuple(selector, fc.constantFrom('topk(2, ', 'bottomk(1, ')).map(([each, head]) => `${head}${each})`),
    tie('vector').map((each) => `label_replace(${each}, "n", "$1", "job", "(x|y)")`),
  ),
}));

type Lines = readonly string[] | 'refused';

const digits = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(8))) : String(value);

/** Series as lines, with numbers rounded. */
function lineOf(
  labels: Readonly<Record<string, string>>,
  samples: readonly (readonly [seconds: number, value: number])[],
): string {
  const names = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(names)} ${samples.map(([seconds, value]) => `${digits(value)}@${seconds}`).join(' ')}`;
}

interface Reply {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value?: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
}

const numberOf = (text: string): number => Number(text.replace('Inf', 'Infinity'));

function linesOfReply({ status, data }: Reply): Lines {
  if (status !== 'success') return 'refused';
  return data.result
    .map(({ metric, value, values }) =>
      lineOf(
        metric,
        (values ?? [value!]).map(([seconds, text]) => [seconds, numberOf(text)]),
      ),
    )
    .sort();
}

async function linesOfEvaluator(
  query: string,
  source: MemorySource,
  when: Parameters<typeof resultOf>[2],
): Promise<Lines> {
  try {
    const { value } = await resultOf(query, source, when);
    if (value.type === 'vector')
      return value.samples
        .map(({ labels, value: number }) => lineOf(Object.fromEntries(labels.labels), [[value.ms / 1000, number]]))
        .sort();
    if (value.type !== 'matrix') throw new Error(`a ${value.type}`);
    return [...value.series]
      .map(({ labels, times, values }) =>
        lineOf(
          Object.fromEntries(labels.labels),
          Array.from(times, (ms, i) => [ms / 1000, values[i]!]),
        ),
      )
      .sort();
  } catch (error) {
    if (error instanceof QueryError) return 'refused';
    throw error;
  }
}

/** A Prometheus with the series in it; undefined where it is not built. */
async function prometheusWith(t: ExecutionContext, all: ReturnType<typeof series>): Promise<string | undefined> {
  if (!existsSync(program)) {
    skipped(t, 'Prometheus 3 is not built (see .ci/build-agents)');
    return undefined;
  }
  const directory = directoryFor(t);
  const port = await freePort();
  writeFileSync(join(directory, 'prometheus.yml'), 'storage:\n  tsdb:\n    out_of_order_time_window: 10y\n');
  run(t, program, [
    `--config.file=${directory}/prometheus.yml`,
    `--storage.tsdb.path=${directory}/data`,
    '--storage.tsdb.retention.time=100y',
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-remote-write-receiver',
    '--log.level=error',
  ]);
  const address = `http://127.0.0.1:${port}/api/v1`;
  await comesTrue(() =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const timeseries = all.map(({ labels, samples }) => ({
    labels: Object.entries(labels)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => ({ name, value })),
    samples: samples.map(([timestamp, value]) => ({
      timestamp,
      value: typeof value === 'number' ? value : staleNumber,
    })),
  }));
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  const { status } = await fetch(`${address}/write`, {
    method: 'POST',
    headers,
    body: new Uint8Array(writeBody(timeseries)),
  });
  t.is(status, 204);
  return address;
}

/** The stale marker as a number, whose bits the encoder of messages leaves as they are. */
const staleNumber = new Float64Array(new Uint32Array([2, 0x7ff00000]).buffer)[0]!;

test('random expressions have the values that Prometheus gives', async (t) => {
  const all = series();
  const address = await prometheusWith(t, all);
  if (address === undefined) return;
  const source = new MemorySource(all);
  const request = async (path: string, form: Readonly<Record<string, string>>): Promise<Reply> => {
    const reply = await fetch(`${address}/${path}`, { method: 'POST', body: new URLSearchParams(form) });
    return (await reply.json()) as Reply;
  };
  const [start, end] = [startMs / 1000 + 60.5, startMs / 1000 + 960.5];
  let valued = 0;
  await fc.assert(
    fc.asyncProperty(vector, fc.boolean(), async (query, isRange) => {
      const times = isRange ? { start: String(start), end: String(end), step: '37' } : { time: String(end - 300) };
      const expected = linesOfReply(await request(isRange ? 'query_range' : 'query', { query, ...times }));
      const when = isRange ? { range: [start, end, 37] as const } : { at: end - 300 };
      const actual = await linesOfEvaluator(query, source, when);
      if (expected !== 'refused' && expected.length > 0) valued++;
      t.deepEqual(actual, expected, query);
    }),
    { numRuns: moreCases(1_000, 10_000) },
  );
  t.true(valued > 100, `${valued}`);
});

test('random expressions are parsed and printed as by Prometheus', async (t) => {
  const address = await prometheusWith(t, []);
  if (address === undefined) return;
  await fc.assert(
    fc.asyncProperty(vector, async (query) => {
      const body = new URLSearchParams({ query });
      const [tree, text] = await Promise.all(
        ['parse_query', 'format_query'].map(async (path) => {
          const reply = await fetch(`${address}/${path}`, { method: 'POST', body });
          return (await reply.json()) as { readonly status: string; readonly data: string | object };
        }),
      );
      if (tree!.status !== 'success') {
        t.throws(() => parseQuery(query), { instanceOf: QueryError }, query);
        return;
      }
      const expr = parseQuery(query);
      t.true(isDeepStrictEqual(JSON.parse(JSON.stringify(treeOf(expr))), tree!.data), query);
      t.deepEqual(formatQuery(expr), text!.data);
    }),
    { numRuns: moreCases(300, 3_000) },
  );
});
