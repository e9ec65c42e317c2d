import { closeSync, openSync, readFileSync, readSync, realpathSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * As part of another program the engine has no port by which the nodes of a cluster fetch parts of each other's replicated tables, and
 * never learns the settings of one, so that such tables stay read-only. The tests serve the parts themselves
 * (`parts-server.ts`), and tell the engine so by writing over three of its functions, in the memory of the node's process alone:
 * those that give credentials, address and scheme of the interserver port.
 */
const codeOfAddress = Buffer.from('4156534883ec484c8b36490fbe8e670100004885c9498b9658010000', 'hex');

/** Places of the three functions in the library, from that of the address. */
const [credentialsAt, addressAt, schemeAt] = [-0x80, 0, 0x100] as const;
const credentialsBytes = 0x80;

const chunkBytes = 1 << 24;

/** Path of the library that is the engine. */
export function engineLibrary(): string {
  return realpathSync(createRequire(import.meta.url).resolve('@chdb/lib-linux-x64-gnu/libchdb.so'));
}

/** Where the engine's library has the function that gives the address, in bytes from its beginning; undefined for one that has another. */
export function findInterserver(): number | undefined {
  const file = openSync(engineLibrary(), 'r');
  try {
    const chunk = Buffer.alloc(chunkBytes + codeOfAddress.length);
    for (let begin = 0; ; begin += chunkBytes) {
      const length = readSync(file, chunk, 0, chunk.length, begin);
      if (length <= 0) return undefined;
      const at = chunk.subarray(0, length).indexOf(codeOfAddress);
      if (at >= 0) return begin + at;
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Lets the engine in this process say that its parts are at a port of this machine.
 * @param place what {@link findInterserver} has found
 */
export function announceInterserver(place: number, port: number): void {
  const library = engineLibrary();
  const code = readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .find((line) => line.includes(library) && line.includes('r-xp'));
  const [, from = '', offset = ''] = /^([0-9a-f]+)-\S+ \S+ ([0-9a-f]+)/.exec(code ?? '') ?? [];
  const begin = Number.parseInt(from, 16) - Number.parseInt(offset, 16) + place;
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (const [at, bytes] of [
      [credentialsAt, emptyCredentials()],
      [addressAt, returnAddress('127.0.0.1', port)],
      [schemeAt, Buffer.concat([storeText('http'), returnResult])],
    ] as const) {
      writeSync(memory, bytes, 0, bytes.length, begin + at);
    }
  } finally {
    closeSync(memory);
  }
}

/** `mov rax, rdi; ret`: the result lies where the caller has said. */
const returnResult = Buffer.from('4889f8c3', 'hex');

/** `lea rax, [rip + 9]; xor edx, edx; ret`, and zeros, which are two empty texts. */
function emptyCredentials(): Buffer {
  return Buffer.concat([Buffer.from('488d050900000031d2c3', 'hex'), Buffer.alloc(credentialsBytes - 10)]);
}

function returnAddress(host: string, port: number): Buffer {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(port);
  // mov word [rdi + 24], port
  return Buffer.concat([storeText(host), Buffer.from('66c74718', 'hex'), number, returnResult]);
}

/** Stores a short text as the engine's library of C++ has it: 23 bytes, and one with its length. */
function storeText(text: string): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.write(text, 'latin1');
  bytes[23] = text.length;
  // mov rax, 8 bytes; mov [rdi + at], rax
  const store = (at: number): Buffer =>
    Buffer.concat([Buffer.from('48b8', 'hex'), bytes.subarray(at, at + 8), Buffer.from([0x48, 0x89, 0x47, at])]);
  return Buffer.concat([store(0), store(8), store(16)]);
}
