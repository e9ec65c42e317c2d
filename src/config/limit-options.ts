import { longestTimerMs, option, optionTable } from '../model/option.js';

/** Limits of requests, statements and pipelines. */
export const limitsOptions = optionTable('limits', 'Limits', [
  option.size('limits.sqlBytes', 'longest INSERT of rows over HTTP', { default: '64MB', min: 1 }),
  option.size(
    'limits.lineBytes',
    'longest line of a text protocol, and point, sample or histogram in a long message of another one',
    { default: '1MB', min: 1 },
  ),
  option.size(
    'limits.messageBytes',
    'longest message of remote write, remote read, OpenTelemetry or pushed text, inflated',
    { default: '32MB', min: 1 },
  ),
  option.size('limits.remoteReadBytes', 'longest answer to a remote read, before it is compressed', {
    default: '64MB',
    min: 1,
  }),
  option.size(
    'limits.creditBytes',
    'bytes that HTTP writes, and each listener, may hold before they are answered; half of it for logged rows in memory, an eighth for telnet',
    { default: '32MB', min: 1 },
  ),
  option.size('limits.inflatedBytes', 'longest inflated text of a write in gzip; the rest of a longer one is refused', {
    default: '1GB',
    min: 1,
  }),
  option.size(
    'limits.bodyBytes',
    'memory for the bodies of all users together, over HTTP and gRPC; further bodies wait unread',
    { default: '192MB', min: 1 },
  ),
  option.int('limits.statements', 'SQL statements that run at once; more wait', { default: '256', min: 1 }),
  option.int('limits.statementsOfUser', 'SQL statements of one user that run at once; more wait; 0 is no limit', {
    default: '128',
    min: 0,
  }),
  option.int('limits.waitingStatements', 'SQL statements that wait for others to end; more are answered with 503', {
    default: '1024',
    min: 0,
  }),
  option.duration(
    'limits.statementWait',
    'longest time that an SQL statement waits for others; then the answer is 503',
    { default: '1m0s', min: 1, max: longestTimerMs },
  ),
  option.size(
    'limits.queryBytes',
    'longest SQL statement that is not an INSERT of rows; longer ones are refused with 0x0219',
    { default: '1MB', min: 1 },
  ),
  option.size(
    'limits.statementMemory',
    'memory that one statement may use in the embedded database; 0 is a third of the machine, or of the container',
    { default: '0', min: 0 },
  ),
  option.size(
    'limits.userMemory',
    'memory that the queries of one user may use together in the embedded database; beyond it the largest is ended; 0 is half of the machine, or of the container',
    { default: '0', min: 0 },
  ),
  option.duration(
    'limits.queryTime',
    'longest time of a query until its last row is sent; then it is cancelled with 0x020F; 0s is no limit',
    { default: '30m0s', min: 0, max: longestTimerMs },
  ),
  option.duration(
    'limits.resultIdle',
    'longest time that an open result over WebSocket waits for its next fetch; then it is ended with 0x020F',
    { default: '1m0s', min: 1, max: longestTimerMs },
  ),
]);
