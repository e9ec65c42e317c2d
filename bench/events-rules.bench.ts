import { pathToFileURL } from 'node:url';
import type { Rule } from '../src/events/rule.js';
import { ValueRules } from '../src/events/value-rules.js';
import { BlockBuilder, type ColumnBlock } from '../src/model/column-block.js';
import { dataType } from '../src/model/schema.js';
import { type BenchService, sendAll, startBenchService, usage } from './support/service.js';

const series = 10_000;
const linesPerRequest = 5_000;
const lines = 3_000_000;
const connections = 4;
const ruleCount = 100;
const rounds = 3;

/** Line protocol of three fields, two tags; the times are of now, so that rules look at the rows. */
function bodiesOf(measurement: string): Buffer[] {
  const keys = Array.from({ length: series }, (_, s) => `${measurement},tag0=value-${s},tag1=value-${s % 10}`);
  const begun = BigInt(Date.now() - Math.ceil(lines / series) * 1000) * 1_000_000n;
  const bodies: Buffer[] = [];
  for (let line = 0; line < lines; ) {
    const text: string[] = [];
    for (let i = 0; i < linesPerRequest && line < lines; i++, line++) {
      const fields = [0, 1, 2].map((k) => `field${k}=${((line * 7919 + k * 104_729) % 100_000) / 1000}`);
      const time = begun + BigInt(Math.floor(line / series)) * 1_000_000_000n;
      text.push(`${keys[line % series]} ${fields.join(',')} ${time}`);
    }
    bodies.push(Buffer.from(text.join('\n')));
  }
  return bodies;
}

/**
 * A hundred rules over three columns, with other thresholds each. `breaks` is how many of the values, which lie evenly between
 * 0 and 100, break the rules that are broken at all: one in ten of the rules.
 */
function rulesOf(table: string, breaks: number) {
  return Array.from({ length: ruleCount }, (_, i) => ({
    name: `rule-${i}`,
    database: 'bench',
    table,
    column: `field${i % 3}`,
    comparison: '>' as const,
    threshold: i % 10 === 0 ? 100 - breaks * 100 : 100 + i,
  }));
}

function rulesSetting(table: string, breaks: number): string {
  return `--events.rules=${JSON.stringify(rulesOf(table, breaks))}`;
}

/** One block of the rows of a request. */
function blockOf(table: string, begun: number): ColumnBlock {
  const builder = new BlockBuilder('bench', table, 'keep', linesPerRequest);
  const columns = [0, 1, 2].map((k) => builder.addColumn(`field${k}`, dataType('DOUBLE')));
  for (let row = 0; row < linesPerRequest; row++) {
    const line = begun + row;
    builder.setKey(
      (BigInt(line % series) * 0x9e3779b97f4a7c15n) & 0xffff_ffff_ffff_ffffn,
      BigInt(Date.now()) * 1_000_000n,
    );
    for (const [k, column] of columns.entries()) {
      column.reserve(row);
      column.values![row] = ((line * 7919 + k * 104_729) % 100_000) / 1000;
      column.nulls[row] = 0;
      column.filled++;
    }
    builder.rows++;
  }
  return builder.finish();
}

/** Processor nanoseconds a row of the evaluation alone. */
function evaluationNs(breaks: number): number {
  const head = {
    kind: 'value',
    severity: 'info',
    element: '',
    title: '',
    description: '',
    resolves: true,
    forMs: 0,
  } as const;
  const rules = rulesOf('m', breaks).map(
    (rule) => ({ ...head, tags: new Map(), clear: undefined, ...rule }) satisfies Rule,
  );
  const watch = new ValueRules(rules, { maxSeries: 100_000, maxAgeMs: 3_600_000 });
  const blocks = Array.from({ length: series / linesPerRequest }, (_, i) => blockOf('m', i * linesPerRequest * 37));
  const evaluate = (times: number): void => {
    for (let i = 0; i < times; i++) for (const block of blocks) watch.evaluate(block, 1_000_000, Date.now());
    watch.take();
  };
  evaluate(100);
  const before = process.cpuUsage();
  const times = 500;
  evaluate(times);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / (times * series);
}

/** Lines per second, and processor seconds of the service, of one run. */
async function measure(service: BenchService, table: string): Promise<{ rate: number; cpu: number }> {
  const bodies = bodiesOf(table);
  const before = usage(service.process.pid!).cpuSeconds;
  const seconds = await sendAll(service.port, '/lineproto/v1/write?db=bench', bodies, connections);
  return { rate: lines / seconds / 1e6, cpu: usage(service.process.pid!).cpuSeconds - before };
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** What rules cost the writes that they watch: the same lines without rules and with them, in turn. */
export async function run(): Promise<void> {
  for (const breaks of [0, 0.0001, 0.01]) {
    console.log(
      `events, ${ruleCount} rules, evaluation alone, ten rules broken by ${breaks * 100} % of the values: ${evaluationNs(breaks).toFixed(0)} CPU ns a row`,
    );
  }
  const cases = [
    { name: 'without rules', settings: [] },
    { name: `${ruleCount} rules, none broken`, settings: [rulesSetting('m', 0)] },
    { name: `${ruleCount} rules, ten of them broken by one value in 10,000`, settings: [rulesSetting('m', 0.0001)] },
  ];
  const results = cases.map(() => ({ rates: [] as number[], cpus: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [i, { settings }] of cases.entries()) {
      const service = await startBenchService(settings);
      try {
        await service.sql("CREATE DATABASE bench PRECISION 'ns'");
        const { rate, cpu } = await measure(service, 'm');
        results[i]!.rates.push(rate);
        results[i]!.cpus.push(cpu);
      } finally {
        await service.stop();
      }
    }
  }
  const base = middle(results[0]!.rates);
  for (const [i, { name }] of cases.entries()) {
    const { rates, cpus } = results[i]!;
    const rate = middle(rates);
    const share = ((rate / base) * 100).toFixed(0);
    const all = rates.map((one) => one.toFixed(2)).join(', ');
    console.log(
      `events, ${name}: ${rate.toFixed(3)} M lines/s (${share} %; ${all}), adapter ${middle(cpus).toFixed(1)} CPU s`,
    );
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
