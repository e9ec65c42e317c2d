import { appendFileSync } from 'node:fs';
import { reasonOf } from '../../model/fault.js';
import type { RunLog } from '../model/ports.js';

/** Where the lines of a run go. */
interface RunLogOutput {
  /** Writes whole lines; the caller redraws a live view below them. */
  readonly write: (text: string, stream: 'out' | 'error') => void;
  /** Lines are coloured for a person in front of a terminal. */
  readonly colour: boolean;
  /** `debug` lines are written. */
  readonly debug: boolean;
  /** Summaries and errors are appended to it; empty is none. */
  readonly resultFile: string;
  /** Unix milliseconds, with their fraction. */
  readonly now?: () => number;
}

const levels = {
  info: { word: 'INFO', colour: '', stream: 'out', saved: false },
  done: { word: 'SUCC', colour: '\u001b[32m', stream: 'out', saved: true },
  warn: { word: 'WARN', colour: '\u001b[33m', stream: 'error', saved: true },
  error: { word: 'ERROR', colour: '\u001b[31m', stream: 'error', saved: true },
  debug: { word: 'DEBUG', colour: '', stream: 'out', saved: false },
} as const;

const plain = '\u001b[0m';

/**
 * The lines of the load tool, `[MM/DD hh:mm:ss.micros] LEVEL: text` in local time. A result file that cannot be written
 * is logged once and does not end the run.
 */
export function createRunLog({
  write,
  colour,
  debug,
  resultFile,
  now = () => performance.timeOrigin + performance.now(),
}: RunLogOutput): RunLog {
  let saves = resultFile !== '';
  const say = (level: keyof typeof levels, text: string): void => {
    if (level === 'debug' && !debug) return;
    const { word, colour: code, stream, saved } = levels[level];
    const line = `[${lineTime(now())}] ${word}: ${text}\n`;
    write(colour && code !== '' ? `${code}${line.trimEnd()}${plain}\n` : line, stream);
    if (saved && saves) save(line);
  };
  const save = (line: string): void => {
    try {
      appendFileSync(resultFile, line);
    } catch (error) {
      saves = false;
      const reason = reasonOf(error);
      say('error', `The result file ${resultFile} cannot be written: ${reason}`);
    }
  };
  return {
    info: (text) => say('info', text),
    done: (text) => say('done', text),
    warn: (text) => say('warn', text),
    error: (text) => say('error', text),
    debug: (text) => say('debug', text),
  };
}

/** `MM/DD hh:mm:ss.micros`. */
function lineTime(unixMs: number): string {
  const date = new Date(unixMs);
  const micros = Math.floor((unixMs % 1000) * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${two(date.getMonth() + 1)}/${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day} ${time}.${String(micros).padStart(6, '0')}`;
}
