import { typeNumber } from '../../model/bound-rows.js';
import { type Fault, FaultError, faultOf } from '../../model/fault.js';
import { notSupported } from '../../model/refusals.js';
import { typeLength } from '../../model/schema.js';
import { version } from '../../model/version.js';
import { rawTopicMessage } from '../../transforms/encode/topic-message.js';
import type { Arguments } from './arguments.js';
import type { SocketAnswer, SocketProtocol, SocketRequest, TextAction } from './protocol.js';
import { precisionNumber } from './results.js';
import { TopicSession } from './topic-session.js';

/** Type of a raw message: of one with rows, which `fetch_raw` gives in one of the older form. */
const rawData = 1;
const olderForm = 3n;
/** Bytes in front of a raw message. */
const olderHeadBytes = 38;
const headBytes = 56;
/** The number of `fetch_raw_data` in its answer. */
const rawDataAction = 8n;

const errorMembers = (args: Arguments) => ({ message_id: args.id('message_id') });

const text: Readonly<Record<string, TextAction<TopicSession>>> = {
  version: { isPublic: true, run: () => ({ version }) },
  subscribe: { isPublic: true, run: (session, args) => session.subscribe(args) },
  poll: { run: (session, args) => session.poll(args) },
  fetch: { run: fetch, errorMembers },
  fetch_block: { run: fetchBlock, errorMembers },
  fetch_raw: { run: fetchRaw, errorMembers },
  fetch_raw_data: { run: fetchRawData },
  fetch_json_meta: { run: refuseMeta, errorMembers },
  commit: { run: (session, args) => session.commit(args) },
  commit_offset: { run: (session, args) => session.commitOffset(args) },
  assignment: { run: (session, args) => session.assignment(args) },
  position: { run: (session, args) => session.position(args) },
  committed: { run: (session, args) => session.committed(args) },
  seek: { run: (session, args) => session.seek(args) },
  list_topics: { run: (session) => session.listTopics() },
  unsubscribe: { run: (session) => session.unsubscribe() },
};

/** Describes the next block of a message, which `fetch_block` gives. */
function fetch(session: TopicSession, args: Arguments): SocketAnswer {
  const id = args.id('message_id');
  const block = session.nextBlock(id);
  if (block === undefined) return { message_id: id, completed: true, table_name: '', rows: 0, fields_count: 0 };
  const { meta, precision } = block;
  return {
    message_id: id,
    completed: false,
    table_name: block.table,
    rows: block.rows,
    fields_count: meta.length,
    fields_names: meta.map(({ name }) => name),
    fields_types: meta.map(({ type }) => typeNumber(type)),
    fields_lengths: meta.map(({ type }) => typeLength(type)),
    precision: precisionNumber(precision),
  };
}

/** The block that {@link fetch} described, behind the time and the ids. */
function fetchBlock(session: TopicSession, args: Arguments, request: SocketRequest): SocketAnswer {
  const id = args.id('message_id');
  const { bytes } = session.lastBlock(id);
  bytes.writeBigUInt64LE(request.elapsedNanos(), 0);
  bytes.writeBigUInt64LE(request.requestId, 8);
  bytes.writeBigUInt64LE(id, 16);
  return bytes;
}

/** A whole message in the raw form, in the older answer. */
function fetchRaw(session: TopicSession, args: Arguments, request: SocketRequest): SocketAnswer {
  const id = args.id('message_id');
  const out = rawTopicMessage(session.held(id).message, olderHeadBytes);
  out.writeBigUInt64LE(request.elapsedNanos(), 0);
  out.writeBigUInt64LE(request.requestId, 8);
  out.writeBigUInt64LE(id, 16);
  out.writeBigUInt64LE(olderForm, 24);
  out.writeUInt32LE(out.length - olderHeadBytes, 32);
  out.writeUInt16LE(rawData, 36);
  return out;
}

/** The same in the newer answer, which is binary for an error, too. */
function fetchRawData(session: TopicSession, args: Arguments, request: SocketRequest): SocketAnswer {
  const id = args.id('message_id');
  try {
    const out = rawTopicMessage(session.held(id).message, headBytes);
    putHead(out, id, request, undefined);
    out.writeUInt16LE(rawData, 50);
    out.writeUInt32LE(out.length - headBytes, 52);
    return out;
  } catch (error) {
    const failure = faultOf(error);
    const out = Buffer.alloc(50 + Buffer.byteLength(failure.message));
    putHead(out, id, request, failure);
    return out;
  }
}

function putHead(out: Buffer, id: bigint, request: SocketRequest, failure: Fault | undefined): void {
  const message = Buffer.from(failure?.message ?? '');
  out.writeBigUInt64LE(2n ** 64n - 1n, 0);
  out.writeBigUInt64LE(rawDataAction, 8);
  out.writeUInt16LE(1, 16);
  out.writeBigUInt64LE(request.elapsedNanos(), 18);
  out.writeBigUInt64LE(request.requestId, 26);
  out.writeUInt32LE(failure?.code ?? 0, 34);
  out.writeUInt32LE(message.length, 38);
  message.copy(out, 42);
  out.writeBigUInt64LE(id, 42 + message.length);
}

/** No message has definitions. */
function refuseMeta(): never {
  throw new FaultError(notSupported('messages with definitions of tables'));
}

/** Topics: subscribing, polling, fetching and committing, each action a row. */
export const topicProtocol: SocketProtocol<TopicSession> = {
  begin: (link, context) => new TopicSession(link, context),
  text: new Map(Object.entries(text)),
  binary: new Map(),
};
