import type { Fault } from '../../model/fault.js';
import { FaultError } from '../../model/fault.js';
import { typeLength } from '../../model/schema.js';
import { parameterFault } from '../request/parameters.js';
import type { Arguments } from './arguments.js';
import { type BinaryMessage, headerBytes, type SocketAnswer, type SocketRequest } from './protocol.js';
import { blockHeadroom } from './results.js';
import type { SqlSession } from './sql-session.js';

/** The version of the binary messages. */
const messageVersion = 1;
/** The action of {@link fetchRawBlock}. */
const fetchAction = 7n;
/** Bytes in front of the block that `fetch_block` gives: time and id of the result. */
const shortHeaderBytes = 16;
/** Bytes of an answer to a fetch besides its message and its block. */
const answerBytes = 51;

/** Reads the next block of a result, which `fetch_block` gives, and says how many rows it has. */
export async function fetch(session: SqlSession, args: Arguments): Promise<SocketAnswer> {
  const id = args.id('id');
  const result = session.results.get(id);
  try {
    result.block = await result.next();
  } catch (error) {
    await session.results.free(id);
    throw error;
  }
  const { block, meta } = result;
  if (block === undefined) await session.results.free(id);
  const lengths = block === undefined ? null : meta.map(({ type }) => typeLength(type));
  return { id, completed: block === undefined, lengths, rows: block?.rows ?? 0 };
}

/** The block that was read by {@link fetch}, behind the time and the id. */
export function fetchBlock(session: SqlSession, args: Arguments, request: SocketRequest): SocketAnswer {
  const id = args.id('id');
  const { block } = session.results.get(id);
  if (block === undefined) throw new FaultError(parameterFault('block is nil'));
  const bytes = block.bytes.subarray(blockHeadroom - shortHeaderBytes);
  bytes.writeBigUInt64LE(request.elapsedNanos(), 0);
  bytes.writeBigUInt64LE(id, 8);
  return bytes;
}

/** The next block of a result, in one binary answer. */
export async function fetchRawBlock(
  session: SqlSession,
  message: BinaryMessage,
  request: SocketRequest,
): Promise<SocketAnswer> {
  const { bytes, id } = message;
  if (bytes.length < headerBytes + 2) throw new FaultError(parameterFault('message length is too short'));
  if (bytes.readUInt16LE(headerBytes) !== messageVersion) {
    throw new FaultError(parameterFault('unknown fetch raw block version'));
  }
  const result = session.results.get(id);
  let block: Awaited<ReturnType<typeof result.next>>;
  try {
    block = await result.next();
  } catch (error) {
    await session.results.free(id);
    throw error;
  }
  if (block === undefined) {
    await session.results.free(id);
    const answer = Buffer.alloc(answerBytes);
    putAnswer(answer, { id, request, code: 0, message: '', isFinished: true });
    return answer;
  }
  putAnswer(block.bytes, { id, request, code: 0, message: '', isFinished: false });
  block.bytes.writeUInt32LE(block.bytes.length - blockHeadroom, answerBytes);
  return block.bytes;
}

/** The binary answer of a fetch that failed. */
export function refusedFetch({ code, message }: Fault, { id }: BinaryMessage, request: SocketRequest): Uint8Array {
  const answer = Buffer.alloc(answerBytes + Buffer.byteLength(message));
  // Some clients look for a block behind an answer that is not the last one, whatever its code.
  putAnswer(answer, { id, request, code, message, isFinished: true });
  return answer;
}

interface FetchAnswer {
  readonly id: bigint;
  readonly request: SocketRequest;
  readonly code: number;
  readonly message: string;
  readonly isFinished: boolean;
}

function putAnswer(out: Buffer, { id, request, code, message, isFinished }: FetchAnswer): void {
  out.writeBigUInt64LE(2n ** 64n - 1n, 0);
  out.writeBigUInt64LE(fetchAction, 8);
  out.writeUInt16LE(messageVersion, 16);
  out.writeBigUInt64LE(request.elapsedNanos(), 18);
  out.writeBigUInt64LE(request.requestId, 26);
  out.writeUInt32LE(code, 34);
  const bytes = Buffer.from(message);
  out.writeUInt32LE(bytes.length, 38);
  bytes.copy(out, 42);
  out.writeBigUInt64LE(id, 42 + bytes.length);
  out.writeUInt8(Number(isFinished), 50 + bytes.length);
}

/** The text of a binary message: its version, its length and its bytes. */
export function messageText({ bytes }: BinaryMessage, action: string): Buffer {
  const textAt = headerBytes + 6;
  if (bytes.length <= textAt) throw new FaultError(parameterFault('message length is too short'));
  const version = bytes.readUInt16LE(headerBytes);
  if (version !== messageVersion) throw new FaultError(parameterFault(`unknown ${action} version: ${version}`));
  const length = bytes.readUInt32LE(headerBytes + 2);
  if (length > bytes.length - textAt) {
    const rest = bytes.length - textAt;
    throw new FaultError(parameterFault(`the message is not complete: its text has ${length} bytes, ${rest} came`));
  }
  return bytes.subarray(textAt, textAt + length);
}
