import type { StatementContext } from '../execution/statements.js';
import type { RunLog, SubscribeAs } from '../model/ports.js';
import { type ConsumerReport, type LoadSetting, settingList } from '../model/report.js';
import type { OlderSubscription, OlderSubscriptions, TopicConsumers } from '../model/scenario.js';
import type { Rows, ValuesOf } from '../settings/keys/setting.js';
import { consumer, older } from '../settings/keys/table.js';

/** Input of a subscription run. */
export interface SubscribeRun extends StatementContext {
  readonly version: string;
  readonly subscribe: SubscribeAs;
}

/** One of the two kinds of subscription. */
export interface Consumption {
  readonly counts: readonly ConsumerCount[];
  /** Makes what is needed, then polls to the end. Throws a FaultError when it cannot begin. */
  go(): Promise<void>;
}

/** Figures of one consumer so far. */
export class ConsumerCount implements ConsumerReport {
  readonly number: number;
  readonly group: string;
  messages = 0;
  rows = 0;
  failed = false;

  constructor(number: number, group: string) {
    this.number = number;
    this.group = group;
  }

  add(rows: number): void {
    this.messages++;
    this.rows += rows;
  }

  report(): ConsumerReport {
    const { number, group, messages, rows, failed } = this;
    return { number, group, messages, rows, failed };
  }
}

const reportMs = 10_000;

/** The settings of a run, by their keys in a file. */
export function subscribeSettings(plan: TopicConsumers | OlderSubscriptions): LoadSetting[] {
  if (plan.kind === 'topics') {
    const topics = Object.fromEntries(plan.topics.map(({ name, sql }) => [`topic ${name}`, sql]));
    const groups = [...new Set(plan.groups)].join(', ');
    return settingList({ ...keyed(consumer, plan), 'group.id': groups, ...topics });
  }
  const common = plan.database === undefined ? [] : [{ name: 'databases', value: plan.database }];
  return [...common, ...plan.parts.flatMap(partSettings)];
}

function partSettings(part: OlderSubscription): LoadSetting[] {
  const statements = Object.fromEntries(part.queries.map(({ sql }, at) => [`sql ${at}`, sql]));
  const { superTable, threads, intervalMs } = part;
  const table = superTable === undefined ? {} : { stblname: superTable };
  return settingList({ ...table, threads, ...keyed(older, part), interval: intervalMs / 1000, ...statements });
}

/** Values of rows of the table of settings, by their main keys. */
function keyed<R extends Rows>(rows: R, values: ValuesOf<R>): Record<string, string> {
  return Object.fromEntries(Object.entries(rows).map(([name, { keys }]) => [keys[0], String(values[name] ?? '')]));
}

/** Logs every ten seconds what each consumer has done since; the result ends it. */
export function reportConsumers(counts: readonly ConsumerCount[], log: RunLog): () => void {
  let before: readonly ConsumerReport[] = counts.map((count) => count.report());
  const timer = setInterval(() => {
    for (const [index, { number, messages, rows }] of counts.entries()) {
      const last = before[index] ?? { messages: 0, rows: 0 };
      const rate = (since: number): string => ((since * 1000) / reportMs).toFixed(1);
      const [perMessage, perRow] = [rate(messages - last.messages), rate(rows - last.rows)];
      log.info(`consumerId: ${number}, msgs: ${messages} (${perMessage}/s), rows: ${rows} (${perRow}/s)`);
    }
    before = counts.map((count) => count.report());
  }, reportMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The lines of what each consumer has done, and then all of them. */
export function totalLines(counts: readonly ConsumerReport[]): string[] {
  const lines = counts.map(
    ({ number, messages, rows }) => `consumerId: ${number}, consume msgs: ${messages}, consume rows: ${rows}`,
  );
  const [messages, rows] = [sumOf(counts, 'messages'), sumOf(counts, 'rows')];
  return [...lines, `total consumers: ${counts.length}, consume msgs: ${messages}, consume rows: ${rows}`];
}

/** One figure of all consumers together. */
export function sumOf(counts: readonly ConsumerReport[], figure: 'messages' | 'rows'): number {
  return counts.reduce((sum, count) => sum + count[figure], 0);
}
