import type { RunLog } from '../model/ports.js';
import { type ConsumerReport, type LoadSetting, settingList } from '../model/report.js';
import type { OlderSubscription, OlderSubscriptions, TopicConsumers } from '../model/scenario.js';

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

/** The parameters of a run. */
export function subscribeSettings(plan: TopicConsumers | OlderSubscriptions): LoadSetting[] {
  return plan.kind === 'topics' ? topicSettings(plan) : olderSettings(plan);
}

function topicSettings(plan: TopicConsumers): LoadSetting[] {
  const values: Record<string, string | number | boolean> = {
    concurrent: plan.consumers,
    create_mode: plan.setUp,
    'group.id': [...new Set(plan.groups)].join(', '),
    'client.id': plan.clientId,
    poll_delay: plan.pollDelayMs,
    'auto.offset.reset': plan.offsetReset,
    'enable.auto.commit': plan.autoCommit,
    'auto.commit.interval.ms': plan.autoCommitIntervalMs,
    'enable.manual.commit': plan.manualCommit,
    'experimental.snapshot.enable': plan.snapshot,
    'msg.with.table.name': plan.withTableName,
    rows_file: plan.rowsFile ?? '',
    expect_rows: plan.expectRows,
  };
  for (const { name, sql } of plan.topics) values[`topic ${name}`] = sql;
  return settingList(values);
}

function olderSettings({ database, parts }: OlderSubscriptions): LoadSetting[] {
  const common = database === undefined ? [] : [{ name: 'databases', value: database }];
  return [...common, ...parts.flatMap(partSettings)];
}

function partSettings(part: OlderSubscription): LoadSetting[] {
  const values: Record<string, string | number | boolean> = {
    ...(part.superTable === undefined ? {} : { stblname: part.superTable }),
    threads: part.threads,
    interval: part.intervalMs / 1000,
    restart: part.restart,
    keepProgress: part.keepProgress,
    resubAfterConsume: part.resubAfterConsume,
    endAfterConsume: part.endAfterConsume,
  };
  for (const [at, { sql }] of part.queries.entries()) values[`sql ${at}`] = sql;
  return settingList(values);
}

/** Tells every ten seconds what each consumer has done since; the result ends it. */
export function reportConsumers(counts: readonly ConsumerCount[], log: RunLog): () => void {
  let before = counts.map((count) => count.report());
  let at = performance.now();
  const timer = setInterval(() => {
    const seconds = (performance.now() - at) / 1000;
    for (const [index, { number, messages, rows }] of counts.entries()) {
      const last = before[index] ?? { messages: 0, rows: 0 };
      const [messageRate, rowRate] = [messages - last.messages, rows - last.rows].map((since) =>
        (since / seconds).toFixed(1),
      );
      log.info(`consumerId: ${number}, msgs: ${messages} (${messageRate}/s), rows: ${rows} (${rowRate}/s)`);
    }
    before = counts.map((count) => count.report());
    at = performance.now();
  }, reportMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The lines that tell what each consumer has done, and then all of them. */
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
