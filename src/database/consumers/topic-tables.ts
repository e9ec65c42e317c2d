import { Codes, FaultError, fault } from '../../model/fault.js';
import type { TableDef } from '../../model/schema.js';
import type { TopicDef } from '../../model/topic.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { ofSeries, ofTable } from '../../sql/engine/storage.js';
import { parseStatement } from '../../sql/parser/statement.js';
import { planTableTopic, planTopic, planWholeTable, type TopicPlan } from '../../sql/plan/topic.js';
import type { QueryContext, TableTarget } from '../../sql/values/context.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { SubTables } from '../store/sub-tables.js';

/** Context in which the names in a topic are resolved. */
interface TopicTablesContext {
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
}

/** The tables of a topic that lie in one engine table, which has one history. */
export interface TopicPart {
  readonly storage: string;
  readonly tables: readonly TableDef[];
}

/** Where the rows of a topic lie, and the statements that read them. */
export class TopicTables {
  readonly topic: TopicDef;
  readonly #context: TopicTablesContext;

  constructor(topic: TopicDef, context: TopicTablesContext) {
    this.topic = topic;
    this.#context = context;
  }

  /** The engine tables that there are now; a topic over a database gets more of them. */
  parts(): readonly TopicPart[] {
    const { source, database } = this.topic;
    const { catalogue } = this.#context;
    if (source.kind !== 'database') {
      const table = catalogue.table(database, source.parent);
      if (table === undefined) throw missing();
      return [{ storage: table.storage, tables: [table] }];
    }
    if (catalogue.database(database) === undefined) throw missing();
    const byStorage = new Map<string, TableDef[]>();
    for (const table of catalogue.tables(database)) {
      const tables = byStorage.get(table.storage);
      if (tables === undefined) byStorage.set(table.storage, [table]);
      else tables.push(table);
    }
    return [...byStorage].map(([storage, tables]) => ({ storage, tables }));
  }

  /** Plan of what the topic delivers of one of its tables. */
  async plan(table: TableDef): Promise<TopicPlan> {
    const { source, database } = this.topic;
    if (source.kind === 'database') {
      const target = { kind: table.kind, table };
      return planWholeTable(
        database,
        target,
        this.#queryContext(() => target),
      );
    }
    const target = await this.#target(source, visible(table, source));
    const context = this.#queryContext((name) => (name === source.table ? target : undefined), source.current);
    const statement = parseStatement(this.topic.statement);
    if (statement.kind !== 'create-topic') throw new Error(`Topic ${this.topic.name} is not made by its statement.`);
    if (statement.source.kind === 'query') return planTopic(statement.source.query, context);
    if (statement.source.kind === 'table') {
      return planTableTopic(statement.source.table, statement.source.where, context);
    }
    throw new Error(`Topic ${this.topic.name} is not what its statement says.`);
  }

  /** Conditions on the rows of the engine table that leave those of a table of the topic. */
  async termsOf(table: TableDef): Promise<Expr[]> {
    const { source } = this.topic;
    if (table.seriesId !== undefined) return [ofSeries([table.seriesId])];
    if (source.kind === 'database' || source.table === source.parent) return ofTable(table);
    const target = await this.#target(source, table);
    return target.kind === 'sub' ? [...ofTable(table), ofSeries([target.id])] : ofTable(table);
  }

  async #target({ table: name, parent }: TableSource, table: TableDef): Promise<TableTarget> {
    if (name === parent) return { kind: table.kind, table };
    const database = this.#context.catalogue.database(this.topic.database);
    const subTable = database && (await this.#context.subTables.lookUp(database, [name])).get(name);
    // A sub-table that was dropped has no rows, until one of its name is made.
    return { kind: 'sub', table, id: subTable?.id ?? 0n, name };
  }

  #queryContext(resolve: (name: string) => TableTarget | undefined, current?: string): QueryContext {
    const { database, zone, user } = this.topic;
    return {
      database: current,
      resolveTable: (of, name) => (of === database ? resolve(name) : undefined),
      systemTable: () => undefined,
      precisionOf: (of) => (of === database ? this.#context.catalogue.database(of)?.precision : undefined),
      nowNanos: () => BigInt(Date.now()) * 1_000_000n,
      connectionZone: zone,
      outputZone: 'UTC',
      form: 'arrays',
      rowLimit: -1,
      user,
      serverVersion: '3.0.0.0',
    };
  }
}

type TableSource = Extract<TopicDef['source'], { table: string }>;

/** A query keeps the columns that it had when the topic was made: those that came later are not there for `*`. */
function visible(table: TableDef, { kind, columns }: TableSource): TableDef {
  if (kind === 'table') return table;
  const known = new Set(columns);
  return {
    ...table,
    columns: table.columns.filter(({ name }) => known.has(name)),
    tags: table.tags.filter(({ name }) => known.has(name)),
  };
}

function missing(): FaultError {
  return new FaultError(fault('database', Codes.topicNotExist, 'Topic not exist: what it is over was dropped'));
}
