import type { AggregateBuilder, RowWindows } from '../../functions/spec.js';
import type { Value } from '../../values/value.js';

/** One engine aggregate of a group: `name(args) AS alias`. */
export interface EngineAggregate {
  readonly alias: string;
  readonly call: () => readonly [name: string, args: readonly string[]];
}

/** The engine aggregates of a block, each computed once; results are read from `source`. */
export class AggregateList implements AggregateBuilder {
  readonly time: Value | undefined;
  readonly sequence: string | undefined;
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

  aggregate(name: string, ...args: string[]): string {
    const key = `${name}(${args.join(', ')})`;
    const known = this.#known.get(key) ?? this.#add(() => [name, args]);
    this.#known.set(key, known);
    return `${this.#source}.${known.alias}`;
  }

  /** An aggregate whose arguments are known only after everything was translated. */
  deferred(call: EngineAggregate['call']): string {
    return `${this.#source}.${this.#add(call).alias}`;
  }

  #add(call: EngineAggregate['call']): EngineAggregate {
    const added = { alias: `a${this.#list.length + 1}`, call };
    this.#list.push(added);
    return added;
  }
}

/** The aggregate as it is computed over rows. */
export function direct({ call }: EngineAggregate): string {
  const [name, args] = call();
  return `${name}(${args.join(', ')})`;
}

/** The aggregate as a state that can be merged with others. */
export function asState({ call }: EngineAggregate): string {
  const [name, args] = call();
  return `${suffixed(name, 'State')}(${args.join(', ')})`;
}

/** The aggregate of all rows behind the states in `column`. */
export function merged({ call }: EngineAggregate, column: string): string {
  return `${suffixed(call()[0], 'Merge')}(${column})`;
}

function suffixed(name: string, suffix: string): string {
  const at = name.indexOf('(');
  return at < 0 ? `${name}${suffix}` : `${name.slice(0, at)}${suffix}${name.slice(at)}`;
}
