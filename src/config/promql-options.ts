import { longestTimerMs, option, optionTable } from '../model/option.js';

/** Queries in PromQL. */
export const promqlOptions = optionTable('promql', 'PromQL (the HTTP API of Prometheus)', [
  option.bool('promql.enable', 'serve the routes below /prometheus', { default: 'true' }),
  option.text('promql.db', 'database of requests whose path names none', { default: 'metricsdb' }),
  option.duration(
    'promql.lookback',
    'maximum age of a sample that still counts as the current value of its series (lookback delta)',
    {
      default: '5m0s',
      min: 1,
      max: longestTimerMs,
    },
  ),
  option.duration('promql.timeout', 'timeout of a query; a request may set a shorter one', {
    default: '2m0s',
    min: 1,
    max: longestTimerMs,
  }),
  option.int('promql.steps', 'maximum number of steps of a range query', { default: '11000', min: 1 }),
  option.int('promql.series', 'maximum number of series that a query reads', { default: '200000', min: 1 }),
  option.int('promql.samples', 'maximum number of samples that a query holds in memory; each takes 16 bytes', {
    default: '20000000',
    min: 1,
  }),
  option.int('promql.samplesOfAll', 'maximum number of samples that all queries of a process hold in memory', {
    default: '40000000',
    min: 1,
  }),
]);
