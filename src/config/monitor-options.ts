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
  option.text('monitor.identity', 'name of this instance in its self metrics; empty is hostname:port'),
  option.bool(
    'monitor.incgroup',
    'measure memory and CPU against the limits of the container that the service runs in',
    {
      default: 'false',
      envAlso: ['MONITOR_INCGROUP'],
    },
  ),
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
  option.duration(
    'monitor.slowStatement',
    'statements that take at least this long are listed as slow; 0s lists none',
    {
      default: '1s',
      min: 0,
      max: longestTimerMs,
    },
  ),
  option.text('monitor.statsd', 'receiver of the self metrics as StatsD over UDP, as host:port; empty sends none'),
  option.duration('monitor.statsdInterval', 'interval at which the self metrics are sent as StatsD', {
    default: '10s',
    min: 100,
    max: longestTimerMs,
  }),
  option.text(
    'monitor.statsdPrefix',
    'prefix of the names of metrics sent as StatsD, with a point at its end; may be empty',
    {
      default: 'sluice',
    },
  ),
  option.bool('monitor.writeToDB', 'write the self metrics to the database', {
    default: 'false',
    env: 'ADAPTER_MONITOR_WRITE_TO_TD',
  }),
  option.duration('monitor.writeInterval', 'interval at which the self metrics are written', {
    default: '30s',
    min: 1,
    max: longestTimerMs,
  }),
  option.text('monitor.user', 'database user that writes the self metrics', { default: 'root' }),
  option.secret('monitor.password', 'password of that user', { default: 'taosdata' }),
]);
