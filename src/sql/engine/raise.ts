import { type Fault, fault } from '../../model/fault.js';
import { call, text } from './build.js';
import type { Expr } from './nodes.js';

/**
 * An expression that ends the statement with an error of the dialect when `condition` holds in a row, and is 0
 * otherwise. The engine knows texts only, so the code travels in front of it; see {@link raisedFault}.
 */
export function raiseIf(condition: Expr, code: number, message: string): Expr {
  return call('throwIf', condition, text(raisedText(code, message)));
}

/** The engine's message for an error of the dialect. */
export function raisedText(code: number, text: string): string {
  return `{${code} ${text}}`;
}

/** What an engine writes before a message, and before that of another node. */
const before = /^(?:(?:Code: \d+\. |Received from [^\s]+\. )?DB::Exception: )*/;

/** The error behind an engine's message, when {@link raiseIf} caused it, on this node or on another one. */
export function raisedFault(message: string): Fault | undefined {
  const [, code, text] = /^\{(\d+) ([^{}]*)\}/.exec(message.trim().replace(before, '')) ?? [];
  return code === undefined || text === undefined ? undefined : fault('database', Number(code), text);
}
