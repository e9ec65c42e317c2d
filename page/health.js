import { h, putTotals, say } from './dom.js';
import { count, duration, size } from './format.js';
import { metric } from './metrics.js';
import { timePlot } from './time-plot.js';

/** The states of the memory guard, by their number in the metrics. */
const states = [
  { name: 'Normal', kind: 'good', means: 'Queries and writes are accepted.' },
  {
    name: 'Queries paused',
    kind: 'warn',
    means: 'Queries are refused with 503 until memory use has fallen; writes go on.',
  },
  {
    name: 'Everything paused',
    kind: 'bad',
    means: 'Queries and writes are refused with 503; TCP writers wait, UDP is dropped.',
  },
];

/** Free share of the disk below which it is bad news. */
const lowDiskShare = 0.1;
/** Age of a waiting row above which it is bad news: the database does not keep up, or is away. */
const lateSeconds = 30;

/**
 * Whether the service is well: the memory guard and what it looks at, memory, disk, and what waits in the write-ahead log.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function healthView({ history }) {
  const name = h('strong', { class: 'guard' });
  const means = h('p', {});
  const facts = h('dl', { class: 'totals' });
  const resources = h('dl', { class: 'totals' });
  const log = h('dl', { class: 'totals' });
  const percent = (/** @type {number} */ value) => `${count(value)} %`;
  const lines = [
    { label: 'Memory' },
    { label: 'Processor' },
    { label: 'Queries pause', colour: 'warn', dashed: true },
    { label: 'Everything pauses', colour: 'bad', dashed: true },
  ];
  const drawn = timePlot({
    lines,
    range: [0, 100],
    format: percent,
    label: 'Memory and processor use over the last hour',
  });
  const bytes = timePlot({
    lines: [{ label: 'Adapter' }, { label: 'Database' }],
    range: 'bytes',
    format: size,
    label: 'Memory of the adapter and of the database over the last hour',
  });
  const element = h(
    'section',
    {},
    h(
      'div',
      { class: 'head' },
      h('h1', {}, 'Health'),
      h('p', { class: 'muted' }, 'The service and its engine, of what the machine or container has'),
    ),
    h('div', { class: 'card guard-card' }, h('p', { class: 'muted' }, 'Memory guard'), name, means),
    facts,
    h('h2', {}, 'Memory and disk'),
    resources,
    h('h2', {}, 'Write-ahead log'),
    log,
    h('h2', {}, 'Memory and processor over the last hour'),
    drawn.element,
    h('h2', {}, 'Memory of adapter and database over the last hour'),
    bytes.element,
  );
  const show = () => {
    const { last, all } = history;
    if (last === undefined) return;
    const state = states[metric(last, 'adapter_memory_guard_state') ?? 0] ?? states[0];
    name.className = `guard ${state?.kind}`;
    say(name, state?.name ?? '');
    say(means, state?.means ?? '');
    const of = (/** @type {string} */ wanted) => metric(last, wanted) ?? 0;
    putTotals(facts, [
      ['memory in use', percent(of('adapter_system_mem_percent'))],
      ['queries pause above', percent(of('adapter_memory_guard_query_percent'))],
      ['everything pauses above', percent(of('adapter_memory_guard_all_percent'))],
      ['processor in use', percent(of('adapter_system_cpu_percent'))],
      ['in-flight bytes', size(of('adapter_credit_bytes'))],
    ]);
    putTotals(resources, [
      ['memory of the adapter', size(of('adapter_memory_bytes'))],
      ['memory of the database', size(of('adapter_engine_memory_bytes'))],
      ['memory of the machine or container', size(of('adapter_memory_limit_bytes'))],
      ...diskFacts(last),
    ]);
    putTotals(log, logFacts(last));
    const series = [
      'adapter_system_mem_percent',
      'adapter_system_cpu_percent',
      'adapter_memory_guard_query_percent',
      'adapter_memory_guard_all_percent',
    ];
    const times = all.map(({ at }) => at / 1000);
    const valuesOf = (/** @type {string} */ wanted) => all.map((metrics) => metric(metrics, wanted) ?? null);
    drawn.set([times, ...series.map(valuesOf)]);
    bytes.set([times, valuesOf('adapter_memory_bytes'), valuesOf('adapter_engine_memory_bytes')]);
  };
  const stop = () => {
    drawn.stop();
    bytes.stop();
  };
  return { element, metrics: show, stop };
}

/**
 * @param {import('./metrics.js').Metrics} metrics
 * @returns {[string, string, boolean][]}
 */
function diskFacts(metrics) {
  const [free, all] = [metric(metrics, 'adapter_disk_free_bytes'), metric(metrics, 'adapter_disk_bytes')];
  // A database that is elsewhere has its disk there.
  if (free === undefined || all === undefined || Number.isNaN(free)) return [];
  return [[`free disk, of ${size(all)}`, size(free), free < all * lowDiskShare]];
}

/**
 * @param {import('./metrics.js').Metrics} metrics
 * @returns {[string, string, boolean][]}
 */
function logFacts(metrics) {
  const of = (/** @type {string} */ wanted) => metric(metrics, wanted) ?? 0;
  const rejected = of('adapter_wal_rejected_rows');
  const oldest = of('adapter_wal_oldest_seconds');
  return [
    ['WAL size', size(of('adapter_wal_bytes')), false],
    ['queued rows', count(of('adapter_waiting_rows')), false],
    ['age of the oldest queued row', oldest === 0 ? 'none' : duration(oldest * 1000), oldest > lateSeconds],
    ['WAL replay', of('adapter_wal_behind') > 0 ? 'running' : 'idle', of('adapter_wal_behind') > 0],
    ['rows rejected after acknowledgement', count(rejected), rejected > 0],
  ];
}
