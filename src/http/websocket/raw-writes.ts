import { FaultError } from '../../model/fault.js';
import { badBinding } from '../../transforms/bound/bound-form.js';
import { readRawColumns } from '../../transforms/bound/raw-columns.js';
import { parameterFault } from '../request/parameters.js';
import { type BinaryMessage, headerBytes, type SocketAnswer, type SocketRequest } from './protocol.js';
import type { SqlSession } from './sql-session.js';

/** Count of rows, and length of the table's name. */
const headBytes = 6;
/** A field: its name, ended by a zero, its type, and its length in bytes. */
const [fieldBytes, nameBytes] = [72, 65];

/**
 * Writes a raw block to a table of the current database, all of whose columns it has, or those of the fields that
 * follow it. It is an INSERT with bound columns. Throws FaultErrors.
 */
export async function writeRawBlock(
  session: SqlSession,
  { bytes }: BinaryMessage,
  request: SocketRequest,
): Promise<SocketAnswer> {
  const { table, block, names } = readBlock(bytes.subarray(headerBytes));
  const columns = readRawColumns(block);
  if (names.length > 0 && names.length !== columns.length) throw badBinding('the block has another number of fields');
  const list = names.length === 0 ? '' : ` (${names.map(quoted).join(', ')})`;
  const parameters = columns.map(() => '?').join(', ');
  const statement = session.statements.open();
  try {
    await statement.inTurn(async () => {
      await statement.prepare(Buffer.from(`INSERT INTO ${quoted(table)}${list} VALUES (${parameters})`), request);
      await statement.bind(request, [{ name: undefined, tags: [], columns }], block.length);
      await statement.execute(request);
    });
  } finally {
    session.statements.close(statement.id);
  }
  return {};
}

/** The parts of the message: where bytes follow the block, they are its fields. */
function readBlock(body: Buffer): {
  readonly table: string;
  readonly block: Buffer;
  readonly names: readonly string[];
} {
  const blockAt = headBytes + (body.length < headBytes ? 0 : body.readUInt16LE(4));
  if (body.length < blockAt + 8) throw new FaultError(parameterFault('message length is too short'));
  const fieldsAt = blockAt + body.readUInt32LE(blockAt + 4);
  if (fieldsAt > body.length) throw badBinding('the raw block is too short');
  const fields = body.subarray(fieldsAt);
  if (fields.length % fieldBytes !== 0) throw badBinding(`a field has ${fieldBytes} bytes`);
  const names = Array.from({ length: fields.length / fieldBytes }, (_, at) => {
    const name = fields.subarray(at * fieldBytes, at * fieldBytes + nameBytes);
    return name.toString('utf8', 0, name.includes(0) ? name.indexOf(0) : name.length);
  });
  return { table: body.toString('utf8', headBytes, blockAt), block: body.subarray(blockAt, fieldsAt), names };
}

function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
