import { Readable } from 'node:stream';
import type { WireFormat } from '../../model/batch.js';
import type { Delivery } from '../../model/delivery.js';
import type { WriteRequest } from '../../model/exchange.js';
import { FaultError } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { sendRequest } from '../answer/send-request.js';
import { refusalOfOutcome } from '../answer/write-refusal.js';
import { parameterFault, readPrecision, readTtl } from '../request/parameters.js';
import type { Arguments } from './arguments.js';
import type { SocketAnswer, SocketRequest } from './protocol.js';
import type { SqlSession } from './sql-session.js';

/** The protocols by their numbers, and what each calls a row. */
const protocols: ReadonlyMap<number, { readonly format: WireFormat; readonly rowWord: string }> = new Map([
  [1, { format: 'lineproto', rowWord: 'line' }],
  [2, { format: 'tsdbwire-telnet', rowWord: 'line' }],
  [3, { format: 'tsdbwire-json', rowWord: 'object' }],
]);

/** Longest name of a tag, in characters. */
const maxTagLength = 64;

/**
 * Writes lines or points into the current database, as the routes of HTTP do: good rows are stored although others are
 * bad, and the error names the first bad one. Rows whose sub-table a tag names are answered once they are stored.
 */
export async function insertSchemaless(
  session: SqlSession,
  args: Arguments,
  { id }: SocketRequest,
): Promise<SocketAnswer> {
  const { credentials, database, context, link } = session;
  const number = args.integer('protocol', 0);
  const protocol = protocols.get(number);
  if (protocol === undefined) throw new FaultError(parameterFault(`unknown schemaless protocol ${number}`));
  if (credentials === undefined || database === undefined) throw new FaultError(refusals.databaseNotSpecified);
  const precision = readPrecision(args.text('precision', ''));
  if (precision === undefined)
    throw new FaultError(parameterFault('precision must be one of n, ns, u, us, ms, s, m, h'));
  const ttl = readTtl(String(args.integer('ttl', 0)));
  if (typeof ttl === 'string') throw new FaultError(parameterFault(`illegal param, ${ttl}`));
  const tableNameTag = args.text('table_name_key', '');
  if (tableNameTag.length > maxTagLength) throw new FaultError(parameterFault('args.table_name_key is too long'));
  const bytes = Buffer.from(args.text('data'));
  const { format, rowWord } = protocol;
  const named = tableNameTag === '' ? {} : ({ tableNameTag, ack: 'stored' } as const);
  // The formats of OpenTSDB say the unit of each time themselves.
  const unit = format === 'lineproto' ? precision : 'ms';
  const write: WriteRequest = {
    format,
    credentials,
    target: { database, createDatabase: false, ttl, precision: unit, ...named },
    body: Readable.from([bytes]),
    whole: (length) => (length === bytes.length ? bytes : undefined),
    length: bytes.length,
  };
  const outcome = await sendRequest<WriteRequest, Delivery>(
    (exchange) => context.intake.write(exchange),
    id,
    write,
    link.closed,
  );
  const refusal = refusalOfOutcome(outcome, rowWord);
  if (refusal !== undefined) throw new FaultError({ ...refusal.fault, message: refusal.message });
  const rows = outcome.kind === 'answered' && outcome.answer.outcome === 'delivered' ? outcome.answer.rows : 0;
  return { affected_rows: rows, total_rows: rows };
}
