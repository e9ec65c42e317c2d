import type { Target } from '../../../model/batch.js';
import { mostKeepDays } from '../../../model/database-options.js';
import { Codes, fault } from '../../../model/fault.js';
import { refusalOf } from '../../answer/refusal.js';
import { sendEmpty } from '../../answer/reply.js';
import type { Call, ErrorForm, Handler, HandlerContext, Refusal, WriteCall } from '../../request/call.js';
import { precisionWords, readBoolean, readPrecision } from '../../request/parameters.js';
import { refuseWrite } from '../refused-write.js';
import { carryWrite } from '../writing.js';
import { bucketDatabase, influx1Errors, influx2Errors, influx3Errors, nameInflux } from './influx.js';

/** Longest text that is stored whole or not at all, inflated: other requests wait while it is read. */
const maxWholeBytes = 4 * 1024 * 1024;

/** How a version of the product encodes the options of a write. */
interface Dialect {
  /** The parameter that names the database. */
  readonly database: 'db' | 'bucket';
  readonly errors: ErrorForm;
  /** Words for units of time beside those of version 1. */
  readonly units?: ReadonlyMap<string, Target['precision']>;
  /** True where `accept_partial` counts. */
  readonly mayBeWhole?: boolean;
}

const dialect1: Dialect = { database: 'db', errors: influx1Errors };
const dialect2: Dialect = { database: 'bucket', errors: influx2Errors };
const dialect3: Dialect = {
  database: 'db',
  errors: influx3Errors,
  units: new Map([
    ['', 'auto'],
    ['auto', 'auto'],
    ['nanosecond', 'ns'],
    ['microsecond', 'us'],
    ['millisecond', 'ms'],
    ['second', 's'],
  ]),
  mayBeWhole: true,
};

/** `POST /write?db=&precision=`: lines of version 1. The retention policy and the consistency mean nothing here. */
export function influx1WriteHandler(context: HandlerContext): Handler<WriteCall> {
  return writing(context, dialect1);
}

/**
 * `POST /api/v2/write?bucket=&precision=`: lines of version 2. A bucket is a database; of one with a slash, the part
 * before it is the database, as buckets are named that stand for a database and a retention policy. The organization
 * means nothing here.
 */
export function influx2WriteHandler(context: HandlerContext): Handler<WriteCall> {
  return writing(context, dialect2);
}

/**
 * `POST /api/v3/write_lp?db=&precision=&accept_partial=`: lines of version 3, whose times are of the unit that their
 * size implies unless `precision` says it. With `accept_partial=false` no line is stored when one is bad. `no_sync`
 * means nothing here.
 */
export function influx3WriteHandler(context: HandlerContext): Handler<WriteCall> {
  return writing(context, dialect3);
}

function writing(
  context: HandlerContext,
  { database: parameter, errors, units, mayBeWhole }: Dialect,
): Handler<WriteCall> {
  const { settings } = context;
  const { createDatabase } = settings.lineproto;
  const words = [...new Set([...precisionWords, ...(units?.keys() ?? [])])].filter((word) => word !== '').join(', ');
  return (call) => {
    const { query, reply } = call;
    const wrong = (refusal: Refusal) => errors(call, refusal, settings);
    const bad = (message: string) =>
      refuseWrite(call, context, wrong, () => wrong(refusalOf(fault('parameter', Codes.free, message), 'parameter')));
    const database = databaseOf(call, parameter);
    if (database === '') return bad(`parameter ${parameter} is required`);
    const unit = query.get('precision') ?? '';
    const precision = units?.get(unit) ?? readPrecision(unit);
    if (precision === undefined) return bad(`parameter precision must be one of ${words}`);
    const isPartial = mayBeWhole !== true || readBoolean('accept_partial', query.get('accept_partial'), true);
    if (typeof isPartial !== 'boolean') return bad(isPartial.message);
    const stored = () => sendEmpty(nameInflux(reply), 204);
    const write = {
      format: 'lineproto',
      target: { database, createDatabase, keepDays: mostKeepDays, ttl: 0, precision },
      rowWord: 'line',
    } as const;
    if (isPartial) {
      const refused = (refusal: Refusal) => errors(call, refusal, settings);
      return carryWrite(call, context, write, { stored, refused });
    }
    const refused = (refusal: Refusal) => errors(call, refusalOfWhole(refusal), settings);
    const whole = { ...write, target: { ...write.target, isWhole: true }, maxMessageBytes: maxWholeBytes };
    return carryWrite(call, context, whole, { stored, refused });
  };
}

function databaseOf({ query }: Call, parameter: Dialect['database']): string {
  const value = query.get(parameter) ?? '';
  return parameter === 'bucket' ? bucketDatabase(value) : value;
}

/** A refusal of a text of which nothing is stored. */
function refusalOfWhole(refusal: Refusal): Refusal {
  if (refusal.fault.code === Codes.statementTooLong) {
    return { ...refusal, message: `with accept_partial=false the body may have at most ${maxWholeBytes} bytes` };
  }
  if (refusal.cause !== 'rows') return refusal;
  return {
    ...refusal,
    cause: 'call',
    message: `no line is written, because accept_partial is false: ${refusal.message}`,
  };
}
