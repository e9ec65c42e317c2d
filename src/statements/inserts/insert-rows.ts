import { yieldToEventLoop } from '../../async/event-loop.js';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { Access } from '../../database/catalogue/rights.js';
import { storableTimes } from '../../database/catalogue/storable-times.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import type { Delivery } from '../../model/delivery.js';
import type { SqlRequest } from '../../model/exchange.js';
import { Codes, FaultError, fault, isTransientError } from '../../model/fault.js';
import type { WaitingTables } from '../../model/waiting-tables.js';
import type { InsertContext, InsertPlan, Resolved } from '../../sql/insert/context.js';
import { scanInSlices, scanInsert } from '../../sql/insert/scanner.js';
import { StatementNames } from '../names.js';
import type { RowWriter } from '../row-writer.js';
import { type DividedRows, divideInsert, type ScanPart } from './insert-division.js';

/** Context of an INSERT of rows. */
export interface InsertRowsContext {
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  readonly writes: RowWriter;
  /** Zone of times without one, where the request names none. */
  readonly connectionZone: string;
}

/**
 * Runs an INSERT … VALUES as a user; `nowNs` is its NOW. Gives the number of rows; throws FaultErrors. See {@link
 * WrittenStatement}.
 */
export async function insertRows(
  { statement, database, connectionZone, ack }: SqlRequest,
  user: string,
  nowNs: bigint,
  context: InsertRowsContext,
  checksTexts: InsertContext['checksTexts'] = 'all',
): Promise<number> {
  const { writes } = context;
  const zone = connectionZone ?? context.connectionZone;
  const written = { bytes: statement, database, zone, nowNs, user, checksTexts };
  const { rows, blocks } = await scanRows(written, context, (tables) => writes.visible(tables));
  const text = { format: 'sql-insert', bytes: statement, database: database ?? '', zone, nowNs } as const;
  requireDelivered(await writes.insert({ blocks, user, bytes: statement.length, statement: text, ack }));
  return rows;
}

/** Where the names of a statement are looked up. */
export type RowsContext = Pick<InsertRowsContext, 'catalogue' | 'subTables'>;

/** An INSERT … VALUES, and what its meaning depends on in addition to the catalogue. */
export interface WrittenStatement {
  readonly bytes: Buffer;
  /** Rows that a client has bound, those of each VALUES of the statement, which has none then. */
  readonly boundRows?: InsertContext['boundRows'];
  readonly database: string | undefined;
  /** Zone of times without one. */
  readonly zone: string;
  readonly nowNs: bigint;
  readonly user: string;
  readonly checksTexts?: InsertContext['checksTexts'];
}

/**
 * The rows of a statement. `visible` is called before sub-tables are looked up in the database, so that those whose
 * rows wait are found there. While the database is unavailable, rows with the tags of their sub-tables count as those
 * of new ones, which the write resolves. Throws FaultErrors.
 */
export async function scanRows(
  written: WrittenStatement,
  { catalogue, subTables }: RowsContext,
  visible: (tables: WaitingTables) => Promise<void> | undefined,
) {
  const names = namesOf(written, { catalogue, subTables });
  return planOf(written.bytes, contextOf(written, { catalogue, subTables }, names), { names, catalogue, visible });
}

/**
 * The rows of an acknowledged statement, read with the current catalogue: those that can be written, and the rejected
 * ones. Rejects with a FaultError; one of kind `network` or `resource` is transient.
 */
export async function scanAnswered(written: WrittenStatement, context: RowsContext): Promise<DividedRows> {
  const visible = (): undefined => undefined;
  try {
    return { blocks: (await scanRows(written, context, visible)).blocks, refused: [] };
  } catch (error) {
    if (!(error instanceof FaultError) || isTransientError(error)) throw error;
  }
  return divideInsert(written.bytes, partScanner(written, context));
}

/**
 * Scans parts of a statement, one after the other: `written` is what they have in common. Those before it are known to
 * each. No rows that wait are stored for it.
 */
export function partScanner(
  written: Omit<WrittenStatement, 'bytes' | 'boundRows'>,
  context: RowsContext,
): (statement: Buffer, boundRows?: InsertContext['boundRows']) => ReturnType<ScanPart> {
  const names = namesOf(written, context);
  const whole = contextOf(written, context, names);
  /** Sub-tables of the parts that were scanned before. */
  const earlier = new Map<string, Resolved>();
  return async (statement, boundRows) => {
    const own = new Map<string, Resolved>();
    const { blocks } = await planOf(
      statement,
      {
        ...whole,
        boundRows,
        resolve: (database, name) => earlier.get(`${database}\0${name}`) ?? whole.resolve(database, name),
        makeSubTable: (database, table, name, ...options) => {
          const subTable = whole.makeSubTable(database, table, name, ...options);
          own.set(`${database.name}\0${name}`, { kind: 'sub', table, subTable });
          return subTable;
        },
      },
      { names, catalogue: context.catalogue, visible: () => undefined },
    );
    for (const [name, meaning] of own) earlier.set(name, meaning);
    return blocks;
  };
}

export function namesOf(
  { user }: Pick<WrittenStatement, 'user'>,
  { catalogue, subTables }: RowsContext,
): StatementNames {
  return new StatementNames(catalogue, subTables, new Access(catalogue, user), 'WRITE');
}

function contextOf(
  { database: currentDatabase, zone, nowNs, user, checksTexts, boundRows }: Omit<WrittenStatement, 'bytes'>,
  { catalogue, subTables }: RowsContext,
  names: StatementNames,
): InsertContext {
  const access = new Access(catalogue, user);
  return {
    currentDatabase,
    zone,
    nowNs,
    checksTexts,
    boundRows,
    database: (name) => {
      access.requireSight(name);
      return catalogue.database(name);
    },
    resolve: (database, name) => names.resolve(database, name),
    timeRange: storableTimes,
    makeSubTable: (database, superTable, name, tags, ttl) => subTables.make(database, superTable.name, name, tags, ttl),
  };
}

interface Lookups {
  readonly names: StatementNames;
  readonly catalogue: Catalogue;
  readonly visible: (tables: WaitingTables) => Promise<void> | undefined;
}

async function planOf(statement: Buffer, context: InsertContext, { names, catalogue, visible }: Lookups) {
  let scan = scanned(statement, context, catalogue);
  let plan = scan instanceof Promise ? await scan : scan;
  while (plan.kind === 'lookup') {
    // Every name is known or absent after its look-up, so the loop ends unless tables are dropped meanwhile.
    try {
      await visible(plan.names.map(({ database }) => ({ database })));
      await names.lookUp(plan.names);
    } catch (error) {
      if (!isTransientError(error)) throw error;
      names.markAbsent(plan.names);
      return scanWithoutLookups(statement, context, error);
    }
    scan = scanned(statement, context, catalogue);
    plan = scan instanceof Promise ? await scan : scan;
  }
  return plan;
}

/** The rows of a statement whose tables are in memory or new. Throws `unavailable` when it names another table. */
function scanWithoutLookups(statement: Buffer, context: InsertContext, unavailable: FaultError) {
  try {
    const plan = scanInsert(statement, context);
    if (plan.kind === 'blocks') return plan;
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.code !== Codes.tableNotExist) throw error;
  }
  throw unavailable;
}

/** How long a scan runs before it yields to the event loop, in ms. */
const sliceMs = 15;
/** Scans that a change of the schema may abort before one runs without yielding. */
const maxAbortedScans = 3;

/** The plan of a statement by the current schema: a short one at once, a long one in slices. */
function scanned(statement: Buffer, context: InsertContext, catalogue: Catalogue): InsertPlan | Promise<InsertPlan> {
  const { position } = catalogue;
  const scan = scanInSlices(statement, context);
  const plan = scanSlice(scan);
  return plan ?? continueScan(scan, position, { statement, context, catalogue });
}

/** The plan, when the scan ends within this slice. */
function scanSlice(scan: Generator<void, InsertPlan, void>): InsertPlan | undefined {
  const startMs = performance.now();
  do {
    const step = scan.next();
    if (step.done === true) return step.value;
  } while (performance.now() - startMs < sliceMs);
  return undefined;
}

interface LongScan {
  readonly statement: Buffer;
  readonly context: InsertContext;
  readonly catalogue: Catalogue;
}

async function continueScan(
  firstScan: Generator<void, InsertPlan, void>,
  position: number,
  { statement, context, catalogue }: LongScan,
): Promise<InsertPlan> {
  let scan = firstScan;
  let scannedPosition = position;
  for (let aborted = 0; ; ) {
    await yieldToEventLoop();
    if (catalogue.position !== scannedPosition) {
      if (++aborted > maxAbortedScans) return scanInsert(statement, context);
      scannedPosition = catalogue.position;
      scan = scanInSlices(statement, context);
    }
    const plan = scanSlice(scan);
    if (plan !== undefined) return plan;
  }
}

/** Throws a FaultError unless the rows of a statement were stored. */
export function requireDelivered(delivery: Delivery): void {
  if (delivery.outcome === 'delivered') return;
  if (delivery.outcome !== 'shed') throw new FaultError(delivery.fault);
  throw new FaultError(fault('resource', Codes.free, 'The service is shutting down'));
}
