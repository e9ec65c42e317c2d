import { longestTimerMs, option, optionTable } from '../model/option.js';

/** Limits of requests, statements and pipelines. */
export const limitsOptions = optionTable('limits', 'Limits', [
  option.size('limits.sqlBytes', 'maximum length of an INSERT of rows over HTTP', { default: '64MB', min: 1 }),
  option.size(
    'limits.lineBytes',
    'maximum length of a line of a text protocol, and of a point, sample or histogram in a long message of other protocols',
    { default: '1MB', min: 1 },
  ),
  option.size(
    'limits.messageBytes',
    'maximum length of a message of remote write, remote read, OpenTelemetry or pushed text, after decompression',
    { default: '32MB', min: 1 },
  ),
  option.size('limits.remoteReadBytes', 'maximum length of a remote read response, before compression', {
    default: '64MB',
    min: 1,
  }),
  option.size(
    'limits.creditBytes',
    'bytes that HTTP writes, and each listener, may hold before they are acknowledged; half of it for logged rows in memory, an eighth for telnet',
    { default: '32MB', min: 1 },
  ),
  option.size(
    'limits.inflatedBytes',
    'maximum length of a gzip write after decompression; the rest of a longer one is refused',
    {
      default: '1GB',
      min: 1,
    },
  ),
  option.size(
    'limits.bodyBytes',
    'memory for the request bodies of all users, over HTTP and gRPC; further bodies wait unread',
    { default: '192MB', min: 1 },
  ),
  option.int('limits.statements', 'maximum number of concurrent SQL statements; further ones are queued', {
    default: '256',
    min: 1,
  }),
  option.int(
    'limits.statementsOfUser',
    'maximum number of concurrent SQL statements of one user; further ones are queued; 0 is no limit',
    {
      default: '128',
      min: 0,
    },
  ),
  option.int('limits.waitingStatements', 'maximum number of queued SQL statements; further ones get 503', {
    default: '1024',
    min: 0,
  }),
  option.duration('limits.statementWait', 'maximum time of an SQL statement in the queue; then it gets 503', {
    default: '1m0s',
    min: 1,
    max: longestTimerMs,
  }),
  option.size(
    'limits.queryBytes',
    'maximum length of an SQL statement other than an INSERT of rows; longer ones are refused with 0x0219',
    { default: '1MB', min: 1 },
  ),
  option.size(
    'limits.statementMemory',
    'maximum memory of one statement in the embedded database; 0 is a third of the machine, or of the container',
    { default: '0', min: 0 },
  ),
  option.size(
    'limits.userMemory',
    'maximum memory of all queries of one user in the embedded database; beyond it the largest query is cancelled; 0 is half of the machine, or of the container',
    { default: '0', min: 0 },
  ),
  option.duration(
    'limits.queryTime',
    'timeout of a query until its last row is sent; then it is cancelled with 0x020F; 0s is no limit',
    { default: '30m0s', min: 0, max: longestTimerMs },
  ),
  option.duration(
    'limits.resultIdle',
    'timeout of an open result over WebSocket without a fetch; then it is cancelled with 0x020F',
    { default: '1m0s', min: 1, max: longestTimerMs },
  ),
]);
