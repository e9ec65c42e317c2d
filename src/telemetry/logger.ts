import { type DestinationStream, destination, type Level, type Logger, pino, stdTimeFunctions } from 'pino';
import type { ComponentLog } from '../model/component.js';
import type { LogLevel } from '../model/log-level.js';
import { mask } from '../text/mask.js';
import { readableLine } from './readable-line.js';
import { redactFields } from './redact.js';

export type { Logger } from 'pino';

/** The level names of the settings in the logger's own: `panic` is as severe as `fatal`, `warning` is `warn`. */
const levels: Readonly<Record<LogLevel, Level>> = {
  panic: 'fatal',
  fatal: 'fatal',
  error: 'error',
  warn: 'warn',
  warning: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'trace',
};

/** Where log lines go; a person in front of a terminal gets readable lines, everything else one JSON object a line. */
export interface LogOutput {
  readonly stream: DestinationStream;
  readonly readable: boolean;
}

/** Standard output, written synchronously: the line before an exit or a crash is never lost. */
export function standardOutput(): LogOutput {
  if (!process.stdout.isTTY) return { stream: destination({ fd: 1, sync: true }), readable: false };
  return { stream: { write: (line) => process.stdout.write(line) }, readable: true };
}

/** The same for a process whose lines are passed on by another one: JSON in any case. */
export function rawOutput(): LogOutput {
  return { stream: destination({ fd: 1, sync: true }), readable: false };
}

/**
 * The service's logger. Lines below `level` are dropped; secrets in fields are masked, see `redactFields`.
 * Settings not yet read: take `info`. `file` gets every line as JSON beside the output.
 */
export function createLogger(level: LogLevel, output: LogOutput = standardOutput(), file?: DestinationStream): Logger {
  const { readable } = output;
  return pino(
    {
      level: levels[level],
      base: null,
      timestamp: readable ? stdTimeFunctions.epochTime : stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: redactFields,
      },
      // `redactFields` has made a plain object of every error already.
      serializers: { err: (value: unknown) => value },
      // The fields of a child logger do not pass through `formatters.log`.
      redact: { paths: ['password', 'token', 'authorization', 'p'], censor: mask },
    },
    linesTo(output, file),
  );
}

/** Where lines of the logger are written; lines of another process may be, too. */
export function linesTo({ stream, readable }: LogOutput, file?: DestinationStream): DestinationStream {
  const shown: DestinationStream = readable ? { write: (line) => stream.write(readableLine(line)) } : stream;
  return file === undefined ? shown : both(shown, file);
}

function both(first: DestinationStream, second: DestinationStream): DestinationStream {
  return {
    write: (line) => {
      first.write(line);
      second.write(line);
    },
  };
}

/** The log of one component: every line carries its name. */
export function componentLog(logger: Logger, component: string): ComponentLog {
  const child = logger.child({ component });
  return {
    dropsDebug: !child.isLevelEnabled('debug'),
    error: (fields, message) => child.error(fields, message),
    warn: (fields, message) => child.warn(fields, message),
    info: (fields, message) => child.info(fields, message),
    debug: (fields, message) => child.debug(fields, message),
  };
}
