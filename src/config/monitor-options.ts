import { longestTimerMs, option, optionTable } from '../model/option.js';

/** The memory guard and the service's own metrics. */
export const monitorOptions = optionTable('monitor', 'Monitoring', [
  option.duration('monitor.collectDuration', 'interval of the CPU and memory samples', {
    default: '3s',
    envAlso: ['MONITOR_COLLECT_DURATION'],
    min: 1,
    max: longestTimerMs,
  }),
  option.bool('monitor.disable', 'turn monitoring off'),
  option.bool('monitor.disableCollectClientIP', 'leave client addresses out of the metrics'),
  option.text('monitor.identity', 'name of this instance in the metrics that it writes; empty is hostname:port'),
  option.bool('monitor.incgroup', 'measure against the limits of the container the service runs in', {
    default: 'false',
    envAlso: ['MONITOR_INCGROUP'],
  }),
  option.float(
    'monitor.pauseAllMemoryThreshold',
    'percent of physical memory above which writes and queries are refused',
    {
      default: '80',
      envAlso: ['MONITOR_PAUSE_ALL_MEMORY_THRESHOLD'],
      named: 'pauseAllMemoryPercent',
      min: 1,
      max: 100,
    },
  ),
  option.float('monitor.pauseQueryMemoryThreshold', 'percent of physical memory above which queries are refused', {
    default: '70',
    envAlso: ['MONITOR_PAUSE_QUERY_MEMORY_THRESHOLD'],
    named: 'pauseQueryMemoryPercent',
    min: 1,
    max: 100,
  }),
  option.duration('monitor.slowStatement', 'statements that take this long are in the list of slow ones; 0s is none', {
    default: '1s',
    min: 0,
    max: longestTimerMs,
  }),
  option.text(
    'monitor.statsd',
    "receiver of the service's own metrics as StatsD over UDP, as host:port; empty sends none",
  ),
  option.duration('monitor.statsdInterval', 'interval of those metrics', {
    default: '10s',
    min: 100,
    max: longestTimerMs,
  }),
  option.text('monitor.statsdPrefix', 'first part of their names, with a point behind it; may be empty', {
    default: 'sluice',
  }),
  option.bool('monitor.writeToDB', "write the service's own metrics to the database", {
    default: 'false',
    env: 'ADAPTER_MONITOR_WRITE_TO_TD',
  }),
  option.duration('monitor.writeInterval', 'interval of those writes', {
    default: '30s',
    min: 1,
    max: longestTimerMs,
  }),
  option.text('monitor.user', 'database user of those writes', { default: 'root' }),
  option.secret('monitor.password', 'password of that user', { default: 'taosdata' }),
]);
