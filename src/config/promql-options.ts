import { longestTimerMs, option, optionTable } from '../model/option.js';

/** Queries in PromQL. */
export const promqlOptions = optionTable('promql', 'PromQL (the HTTP API of Prometheus)', [
  option.bool('promql.enable', 'serve the routes below /prometheus', { default: 'true' }),
  option.text('promql.db', 'database of requests whose path names none', { default: 'metricsdb' }),
  option.duration('promql.lookback', 'age of a sample up to which it is the value of its series', {
    default: '5m0s',
    min: 1,
    max: longestTimerMs,
  }),
  option.duration('promql.timeout', 'longest time of a query; a request may set a shorter one', {
    default: '2m0s',
    min: 1,
    max: longestTimerMs,
  }),
  option.int('promql.steps', 'most steps of a range query', { default: '11000', min: 1 }),
  option.int('promql.series', 'most series that a query reads', { default: '200000', min: 1 }),
  option.int('promql.samples', 'most samples that a query holds in memory; each takes 16 bytes', {
    default: '20000000',
    min: 1,
  }),
  option.int('promql.samplesOfAll', 'most samples that all queries of a process hold in memory together', {
    default: '40000000',
    min: 1,
  }),
]);
