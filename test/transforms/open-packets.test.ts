import test from 'ava';
import { of } from 'rxjs';
import type { Batch, ByteBlock } from '../../src/model/batch.js';
import { openPacket, openPackets, parseUserFile } from '../../src/transforms/open-packets.js';
import { blockOf, encryptedPacket, packetOf, signedPacket } from '../support/messages/agent-packets.js';

const users = new Map([['ann', 'secret']]);
const plain = packetOf([{ host: 'h', plugin: 'p', type: 't', values: [['gauge', 1]] }]);
const signed = signedPacket(plain, 'ann', 'secret');
const encrypted = encryptedPacket(plain, 'ann', 'secret');

test('each level lets in what is secure enough', (t) => {
  const shown = (packet: Buffer, level: 'none' | 'sign' | 'encrypt', known = true): string => {
    const opened = openPacket(packet, { level, users: known ? users : undefined });
    return typeof opened === 'string' ? opened : opened.equals(plain) ? 'open' : 'changed';
  };
  t.deepEqual(
    ['none', 'sign', 'encrypt'].map((level) =>
      shown(plain, level === 'none' ? 'none' : level === 'sign' ? 'sign' : 'encrypt'),
    ),
    ['open', 'unprotected', 'unprotected'],
  );
  t.deepEqual(
    [shown(signed, 'none'), shown(signed, 'sign'), shown(signed, 'encrypt')],
    ['open', 'open', 'unprotected'],
  );
  t.deepEqual(
    [shown(encrypted, 'none'), shown(encrypted, 'sign'), shown(encrypted, 'encrypt')],
    ['open', 'open', 'open'],
  );
  t.is(shown(signed, 'none', false), 'open');
  t.is(shown(encrypted, 'none', false), 'forged');
});

test('wrong passwords, unknown users and changed bytes are refused', (t) => {
  const security = { level: 'none', users } as const;
  for (const packet of [signedPacket(plain, 'ann', 'other'), signedPacket(plain, 'bob', 'secret')]) {
    t.is(openPacket(packet, security), 'forged');
  }
  t.is(openPacket(encryptedPacket(plain, 'ann', 'other'), security), 'forged');
  t.is(openPacket(encryptedPacket(plain, 'bob', 'secret'), security), 'forged');
  for (const packet of [signed, encrypted]) {
    for (let at = 2; at < packet.length; at++) {
      const changed = Buffer.from(packet);
      changed[at] = (changed[at] ?? 0) ^ 0x41;
      const opened = openPacket(changed, security);
      t.true(opened === 'forged' || (typeof opened !== 'string' && !opened.equals(plain)), `byte ${at}`);
      if (typeof opened !== 'string') t.true(at < 4);
    }
  }
  for (let length = 0; length < signed.length; length++) {
    t.notThrows(() => openPacket(signed.subarray(0, length), security));
    t.notThrows(() => openPacket(encrypted.subarray(0, length), security));
  }
});

test('a block of packets stays one batch, without those that are refused', (t) => {
  const refusals = { forged: 0, unprotected: 0 };
  const payload = {
    kind: 'bytes',
    format: 'agentd',
    bytes: blockOf([plain, signed, encrypted, signedPacket(plain, 'x', 'y')]),
  } as const;
  const target = { database: 'd', user: 'u', createDatabase: false, ttl: 0, precision: 'ns' } as const;
  const batch: Batch<ByteBlock> = { origin: 'agentd', target, payload, rows: 4, bytes: 9, settle() {} };
  const seen: Batch<ByteBlock>[] = [];
  let told = 0;
  of(batch)
    .pipe(openPackets({ level: 'sign', users }, refusals, () => told++))
    .subscribe((opened) => seen.push(opened));
  t.deepEqual(Buffer.from(seen[0]?.payload.bytes ?? []), blockOf([plain, plain]));
  t.is(seen[0]?.bytes, 9);
  t.deepEqual(refusals, { forged: 1, unprotected: 1 });
  t.is(told, 2);
});

test('a user file has a line for each user', (t) => {
  const text = '# users\nann: secret\n\n bob:with: colon \nbroken\n';
  t.deepEqual(
    [...parseUserFile(text)],
    [
      ['ann', 'secret'],
      ['bob', 'with: colon'],
    ],
  );
});
