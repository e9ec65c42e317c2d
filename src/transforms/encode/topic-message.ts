import { typeNumber } from '../../model/bound-rows.js';
import { type TopicBlock, type TopicBlocks, topicBlockHeadroom } from '../../model/topic-message.js';
import { headerWidth } from './raw-block.js';

/** Version of the head of a message, behind which its length stands. */
const headVersion = 100;
/** A byte of zero that clients expect behind each block. */
const blockEnd = Buffer.alloc(1);
/** Version, count of rows and precision of each block. */
const blockHeadBytes = 18;
const precisions = { ms: 0, us: 1, ns: 2 } as const;

/**
 * A message in the raw form that clients of topics decode: all of its blocks, each with its columns and the name of its
 * table. It begins with `headroom` bytes for the caller.
 */
export function rawTopicMessage(message: TopicBlocks, headroom: number): Buffer {
  const head = Buffer.alloc(headroom + 11);
  head.writeInt8(headVersion, headroom);
  head.writeInt32LE(message.blocks.length, headroom + 5);
  // Names of tables and columns are there.
  head.writeUInt8(1, headroom + 9);
  head.writeUInt8(1, headroom + 10);
  const schemas = new Map<TopicBlock['meta'], Buffer>();
  const schemaOf = (meta: TopicBlock['meta']): Buffer => {
    const schema = schemas.get(meta) ?? encodeSchema(meta);
    schemas.set(meta, schema);
    return schema;
  };
  return Buffer.concat([head, ...message.blocks.flatMap((block) => blockParts(block, schemaOf(block.meta)))]);
}

function blockParts({ table, rows, bytes, precision }: TopicBlock, schema: Buffer): Buffer[] {
  const block = bytes.subarray(topicBlockHeadroom);
  const head = Buffer.alloc(blockHeadBytes);
  head.writeBigInt64LE(1n, 0);
  head.writeBigInt64BE(BigInt(rows), 8);
  head.writeUInt8(precisions[precision], 17);
  return [varint(blockHeadBytes + block.length + blockEnd.length), head, block, blockEnd, schema, named(table)];
}

function encodeSchema(meta: TopicBlock['meta']): Buffer {
  const columns = meta.flatMap(({ name, type }, at) => [
    Buffer.from([typeNumber(type), 0]),
    zigzag(headerWidth(type)),
    zigzag(at + 1),
    named(name),
  ]);
  return Buffer.concat([zigzag(meta.length), zigzag(0), ...columns]);
}

/** A name with its length, ended by a zero that counts. */
function named(name: string): Buffer {
  const bytes = Buffer.from(`${name}\0`);
  return Buffer.concat([varint(bytes.length), bytes]);
}

/** A signed number that is not negative. */
function zigzag(value: number): Buffer {
  return varint(value * 2);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
