import type { StatementPlace } from '../database/system-tables/kill-id.js';
import type { RunningStatement } from '../database/system-tables/system-table.js';
import type { Rule } from '../events/rule.js';
import type { EventsDesk } from '../model/exchange.js';
import { type Fault, FaultError, faultOf } from '../model/fault.js';
import type { SlowStatement } from '../model/slow-statement.js';
import type { WaitingTables } from '../model/waiting-tables.js';
import type { MetricFamily } from '../telemetry/joined-figures.js';

/** A statement to be broken off, for a user who may see it. */
interface Kill {
  readonly place: StatementPlace;
  readonly user: string;
}

/** Questions of administrators about rules and notifications, all of which the first process keeps. */
export type DeskQuestion = Exclude<keyof EventsDesk, 'tryRule'>;
export type DeskAnswer<A extends DeskQuestion = DeskQuestion> = Awaited<ReturnType<EventsDesk[A]>>;

/** Questions that the processes of one service ask each other, and their answers. */
interface Questions {
  /** To store the answered rows of these tables that wait there. */
  readonly visible: readonly [WaitingTables, null];
  /** To know all entries of the catalogue's log: so many were there. */
  readonly catalogue: readonly [number, null];
  /** The figures of the process. */
  readonly figures: readonly [null, readonly MetricFamily[]];
  /** The statements that run there. */
  readonly running: readonly [null, readonly RunningStatement[]];
  readonly kill: readonly [Kill, null];
  /** The statements that count as slow there. */
  readonly slow: readonly [null, readonly SlowStatement[]];
  /** To watch these rules from now on. */
  readonly rules: readonly [readonly Rule[], null];
  /** For the first process alone. */
  readonly desk: readonly [{ readonly ask: DeskQuestion; readonly user: string }, DeskAnswer];
}

export type QuestionKind = keyof Questions;
type Asked<K extends QuestionKind> = Questions[K][0];
export type Answer<K extends QuestionKind> = Questions[K][1];

/** A question with what is asked. */
export type Question<K extends QuestionKind = QuestionKind> = {
  readonly [P in K]: { readonly kind: P; readonly asked: Asked<P> };
}[K];

/** How a process answers each question; a rejection is told to the asker. */
export type Answering = {
  readonly [K in QuestionKind]: (asked: Asked<K>) => Answer<K> | Promise<Answer<K>>;
};

/** The other processes of a service. */
export interface Peers {
  /** True when there is nobody to ask. */
  readonly isEmpty: boolean;
  /** The answers of all others that there are; rejects with the first FaultError. */
  ask<K extends QuestionKind>(question: Question<K>): Promise<readonly Answer<K>[]>;
}

/** How a question ended. `answer` is of its kind: both ends are the same program. */
export type Outcome<K extends QuestionKind = QuestionKind> = { readonly answer: Answer<K> } | { readonly fault: Fault };

/** The outcome of a question that this process answers; never rejects. */
export async function outcomeOf<K extends QuestionKind>(
  answering: Answering,
  { kind, asked }: Question<K>,
): Promise<Outcome<K>> {
  try {
    return { answer: await answering[kind](asked) };
  } catch (error) {
    // Its cause may be something that cannot be sent.
    return { fault: { ...faultOf(error), cause: undefined } };
  }
}

/** The answer in an outcome; throws the FaultError in it. */
export function answerIn<K extends QuestionKind>(outcome: Outcome<K>): Answer<K> {
  if ('fault' in outcome) throw new FaultError(outcome.fault);
  return outcome.answer;
}
