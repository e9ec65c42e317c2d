import { Codes, fault } from '../../model/fault.js';
import type { AdmittedCall, ErrorForm, Handler, HandlerContext, Refusal } from '../call.js';
import { refusalOf } from '../door.js';
import { influx1Errors, influx2Errors, nameInflux } from '../influx.js';
import { precisionWords, readPrecision } from '../parameters.js';
import { sendEmpty } from '../reply.js';
import { carryWrite } from '../writing.js';

/**
 * `POST /write?db=&precision=`: lines of version 1. The retention policy and the consistency mean nothing here. `POST /api/v3/write_lp` is the
 * same: clients of version 3 write there when they do not wait for storage (`no_sync`), and otherwise as those of version 2 do.
 */
export function influx1WriteHandler(context: HandlerContext): Handler<AdmittedCall> {
  return writing(context, 'db', influx1Errors);
}

/**
 * `POST /api/v2/write?bucket=&precision=`: lines of version 2. A bucket is a database; of one with a slash, the part before it
 * is the database, as buckets are named that stand for a database and a retention policy. The organization means nothing here.
 */
export function influx2WriteHandler(context: HandlerContext): Handler<AdmittedCall> {
  return writing(context, 'bucket', influx2Errors);
}

/** Units as version 3 spells them. Its `auto`, which guesses by the size of a number, is not taken. */
const unitWords: ReadonlyMap<string, string> = new Map([
  ['nanosecond', 'ns'],
  ['microsecond', 'us'],
  ['millisecond', 'ms'],
  ['second', 's'],
]);

function writing(context: HandlerContext, parameter: 'db' | 'bucket', errors: ErrorForm): Handler<AdmittedCall> {
  const { settings } = context;
  const { createDatabase } = settings.lineproto;
  return (call) => {
    const { query, reply } = call;
    const refused = (refusal: Refusal) => errors(call, refusal, settings);
    const bad = (message: string) => refused(refusalOf(fault('parameter', Codes.free, message), 'parameter'));
    const given = query.get(parameter) ?? '';
    const database = parameter === 'bucket' ? (given.split('/', 1)[0] ?? '') : given;
    if (database === '') return bad(`parameter ${parameter} is required`);
    const unit = query.get('precision') ?? '';
    const precision = readPrecision(unitWords.get(unit) ?? unit);
    if (precision === undefined) return bad(`parameter precision must be one of ${precisionWords.join(', ')}`);
    const target = { database, createDatabase, ttl: 0, precision };
    const stored = () => sendEmpty(nameInflux(reply), 204);
    return carryWrite(call, context, { format: 'lineproto', target, rowWord: 'line' }, { stored, refused });
  };
}
