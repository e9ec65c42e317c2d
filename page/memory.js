import { h, put, say } from './dom.js';
import { figure } from './figures.js';
import { count, size } from './format.js';
import { plot } from './plot.js';

/** The states of the memory guard, by their number in the figures. */
const states = [
  { name: 'Normal', kind: 'good', means: 'Everything is taken.' },
  {
    name: 'Queries paused',
    kind: 'warn',
    means: 'Queries are refused with 503 until memory use has fallen; writes go on.',
  },
  {
    name: 'Everything paused',
    kind: 'bad',
    means: 'Queries and writes are refused with 503; TCP writers wait, what comes over UDP is shed.',
  },
];

/**
 * The memory guard, and what it looks at.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function memoryView({ history }) {
  const name = h('strong', { class: 'guard' });
  const means = h('p', {});
  const facts = h('dl', { class: 'totals' });
  const percent = (/** @type {number} */ value) => `${count(value)} %`;
  const lines = [
    { label: 'Memory' },
    { label: 'Processor' },
    { label: 'Queries pause', colour: 'warn', dashed: true },
    { label: 'Everything pauses', colour: 'bad', dashed: true },
  ];
  const drawn = plot({
    lines,
    range: [0, 100],
    format: percent,
    label: 'Memory and processor use over the last minutes',
  });
  const element = h(
    'section',
    {},
    h(
      'div',
      { class: 'head' },
      h('h1', {}, 'Memory'),
      h('p', { class: 'muted' }, 'The service and its engine, of what the machine or container has'),
    ),
    h('div', { class: 'card guard-card' }, h('p', { class: 'muted' }, 'Memory guard'), name, means),
    facts,
    h('h2', {}, 'Since this page was opened, five minutes at most'),
    drawn.element,
  );
  const show = () => {
    const { last, all } = history;
    if (last === undefined) return;
    const state = states[figure(last, 'adapter_memory_guard_state') ?? 0] ?? states[0];
    name.className = `guard ${state?.kind}`;
    say(name, state?.name ?? '');
    say(means, state?.means ?? '');
    const of = (/** @type {string} */ wanted) => figure(last, wanted) ?? 0;
    const told = [
      ['memory in use', percent(of('adapter_system_mem_percent'))],
      ['queries pause above', percent(of('adapter_memory_guard_query_percent'))],
      ['everything pauses above', percent(of('adapter_memory_guard_all_percent'))],
      ['processor in use', percent(of('adapter_system_cpu_percent'))],
      ['taken over HTTP, not yet stored', size(of('adapter_credit_bytes'))],
    ];
    put(
      facts,
      told.map(([what, value]) => h('div', {}, h('dt', {}, what), h('dd', {}, value))),
    );
    const series = [
      'adapter_system_mem_percent',
      'adapter_system_cpu_percent',
      'adapter_memory_guard_query_percent',
      'adapter_memory_guard_all_percent',
    ];
    drawn.set([
      all.map(({ at }) => at / 1000),
      ...series.map((wanted) => all.map((figures) => figure(figures, wanted) ?? null)),
    ]);
  };
  return { element, figures: show, stop: drawn.stop };
}
