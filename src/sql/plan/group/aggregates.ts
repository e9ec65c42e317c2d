import { column } from '../../engine/build.js';
import { Call, type Expr } from '../../engine/nodes.js';
import { printExpr } from '../../engine/print.js';
import type { AggregateBuilder, AggregateName, RowWindows } from '../../functions/spec.js';
import type { Value } from '../../values/value.js';

/** An aggregate function of the engine, its arguments, and the parameters of a parametric one. */
type AggregateCall = readonly [name: string, args: readonly Expr[], parameters?: readonly Expr[]];

/** One engine aggregate of a group: `name(args) AS alias`. */
export interface EngineAggregate {
  readonly alias: string;
  readonly call: () => AggregateCall;
}

/** The engine aggregates of a block, each computed once; results are read from `source`. */
export class AggregateList implements AggregateBuilder {
  readonly time: Value | undefined;
  readonly sequence: Expr | undefined;
  readonly rows: RowWindows | undefined;
  readonly span: AggregateBuilder['span'];
  readonly #source: string;
  readonly #list: EngineAggregate[] = [];
  readonly #known = new Map<string, EngineAggregate>();

  constructor(source: string, { time, sequence, rows, span }: Omit<AggregateBuilder, 'aggregate'>) {
    this.#source = source;
    this.time = time;
    this.sequence = sequence;
    this.rows = rows;
    this.span = span;
  }

  get list(): readonly EngineAggregate[] {
    return this.#list;
  }

  aggregate(called: AggregateName, ...args: readonly Expr[]): Expr {
    const [name, ...parameters] = typeof called === 'string' ? [called] : called;
    const key = printExpr(new Call(name, args, parameters));
    const known = this.#known.get(key) ?? this.#add(() => [name, args, parameters]);
    this.#known.set(key, known);
    return column(this.#source, known.alias);
  }

  /** An aggregate whose arguments are known only after everything was translated. */
  deferred(later: EngineAggregate['call']): Expr {
    return column(this.#source, this.#add(later).alias);
  }

  #add(delayed: EngineAggregate['call']): EngineAggregate {
    const added = { alias: `a${this.#list.length + 1}`, call: delayed };
    this.#list.push(added);
    return added;
  }
}

/** The aggregate as it is computed over rows. */
export function direct(aggregate: EngineAggregate): Call {
  const [name, args, parameters] = aggregate.call();
  return new Call(name, args, parameters);
}

/** The aggregate as a state that can be merged with others. */
export function asState(aggregate: EngineAggregate): Call {
  const [name, args, parameters] = aggregate.call();
  return new Call(`${name}State`, args, parameters);
}

/** The aggregate of all rows behind the states of a column. */
export function merged(aggregate: EngineAggregate, states: Expr): Call {
  const [name, , parameters] = aggregate.call();
  return new Call(`${name}Merge`, [states], parameters);
}
