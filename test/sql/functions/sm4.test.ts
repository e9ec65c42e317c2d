import { createCipheriv } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { bytes as engineBytes } from '../../../src/sql/engine/build.js';
import { printExpr } from '../../../src/sql/engine/print.js';
import { expr } from '../../../src/sql/engine/template.js';
import { sm4Decrypted, sm4Encrypted } from '../../../src/sql/functions/sm4.js';
import { releaseSession, takeSession } from '../../support/engine/engine-session.js';
import { propertyRuns } from '../../support/property-seed.js';

const session = takeSession();
test.after.always(releaseSession);

const bytes = (length: { minLength?: number; maxLength: number }) =>
  fc.uint8Array(length).map((bytes) => Buffer.from(bytes));
const block = bytes({ minLength: 16, maxLength: 16 });

test('texts are encrypted as OpenSSL does it, and decrypted again, in both modes', (t) => {
  fc.assert(
    fc.property(bytes({ maxLength: 70 }), block, fc.option(block, { nil: undefined }), (text, key, vector) => {
      const cipher = createCipheriv(vector === undefined ? 'sm4-ecb' : 'sm4-cbc', key, vector ?? null);
      const expected = Buffer.concat([cipher.update(text), cipher.final()]);
      const results = [sm4Encrypted(engineBytes(text), key, vector), sm4Decrypted(engineBytes(expected), key, vector)];
      const shown = results.map((result) => printExpr(expr`lower(hex(${result}))`));
      const answer = session.query(`SELECT ${shown.join(', ')}`, 'TSV');
      t.is(answer.trimEnd(), `${expected.toString('hex')}\t${text.toString('hex')}`.trimEnd());
    }),
    { numRuns: propertyRuns(20) },
  );
});

test('bytes that were not encrypted are NULL', (t) => {
  const key = Buffer.alloc(16);
  for (const secret of ['', 'short', 'sixteen letters.']) {
    const decrypted = sm4Decrypted(engineBytes(Buffer.from(secret)), key, undefined);
    t.is(session.query(`SELECT ${printExpr(expr`isNull(${decrypted})`)}`, 'TSV').trim(), '1', secret);
  }
});
