import { rowsOfRawBlock } from './raw-block.js';
import type { SocketClient, SocketReply } from './socket-client.js';

/** A result that was fetched to its end. */
export interface FetchedResult {
  readonly reply: SocketReply;
  readonly rows: unknown[][];
  readonly blocks: number;
}

/** Runs a query and fetches its rows: with the binary action, or in two steps. Throws with the message of an error. */
export async function queryRows(
  client: SocketClient,
  sql: string,
  how: 'binary' | 'steps' = 'binary',
): Promise<FetchedResult> {
  const reply = await client.request('query', { sql });
  if (reply.code !== 0) throw new Error(`${reply.code}: ${reply.message}`);
  return reply.is_update === true ? { reply, rows: [], blocks: 0 } : fetchRows(client, reply, how);
}

/** Fetches the rows of a result that a reply names. */
export async function fetchRows(
  client: SocketClient,
  reply: SocketReply,
  how: 'binary' | 'steps' = 'binary',
): Promise<FetchedResult> {
  const [types, scales] = [numbers(reply.fields_types), numbers(reply.fields_scales)];
  const columns = types.map((type, at) => ({ type, scale: scales[at] ?? 0 }));
  const id = BigInt(String(reply.id ?? reply.result_id));
  const rows: unknown[][] = [];
  for (let blocks = 0; ; blocks++) {
    const block = how === 'binary' ? await rawBlock(client, id) : await blockInSteps(client, id);
    if (block === undefined) return { reply, rows, blocks };
    rows.push(...rowsOfRawBlock(block, columns));
  }
}

async function rawBlock(client: SocketClient, id: bigint): Promise<Buffer | undefined> {
  const answer = await client.fetch(7, id, Buffer.from([1, 0]));
  const messageLength = answer.readUInt32LE(38);
  const code = answer.readUInt32LE(34);
  if (code !== 0) throw new Error(`${code}: ${answer.toString('utf8', 42, 42 + messageLength)}`);
  if (answer.readUInt8(50 + messageLength) === 1) return undefined;
  const length = answer.readUInt32LE(51 + messageLength);
  const block = answer.subarray(55 + messageLength);
  if (block.length !== length) throw new Error(`The block has ${block.length} bytes, not ${length}.`);
  return block;
}

async function blockInSteps(client: SocketClient, id: bigint): Promise<Buffer | undefined> {
  const { code, message, completed, rows } = await client.request('fetch', { id });
  if (code !== 0) throw new Error(`${code}: ${message}`);
  if (completed === true) return undefined;
  const answer = await client.nextBinary(() => client.tell('fetch_block', { id }));
  if (answer.readBigUInt64LE(8) !== id || answer.readInt32LE(16 + 8) !== rows) throw new Error('Another block came.');
  return answer.subarray(16);
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}
