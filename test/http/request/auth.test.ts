import test from 'ava';
import fc from 'fast-check';
import { isFault, readAuthorization, readWriteCredentials } from '../../../src/http/request/auth.js';
import { createLoginCodes } from '../../../src/http/request/login-code.js';

const codes = createLoginCodes({ secret: Buffer.alloc(32, 7) });
const none = new URLSearchParams();

function basicOf(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function codeOf(header: string | undefined, query = none): number | undefined {
  const read = readAuthorization(header, codes, query);
  return isFault(read) ? read.code : undefined;
}

test('a missing or empty header is 4357', (t) => {
  for (const header of [undefined, '', '   ']) t.is(codeOf(header), 4357);
});

test('a Basic token that is not base64 of user, colon and password is 4388', (t) => {
  const headers = [
    'Basic !!!',
    basicOf('nocolon'),
    basicOf('root:'),
    basicOf(':secret'),
    'Basic  cm9vdDp4',
    'Basic cm9vdDp',
  ];
  for (const header of headers) t.is(codeOf(header), 4388, header);
});

test('any other scheme, or one without token, is 4386', (t) => {
  for (const header of ['Digest x', 'Basic', 'Bearer', 'Token a:b']) {
    t.is(codeOf(header), 4386, header);
  }
  t.is(codeOf('Bearer abc', new URLSearchParams('token=1')), 4386);
});

test('a Custom token that was not issued here is 4389', (t) => {
  for (const header of ['Custom AAAA', 'Custom !!!', `Custom ${'A'.repeat(64)}`]) t.is(codeOf(header), 4389, header);
});

test('the scheme Taosd takes codes of the login route, and those that clients make themselves', (t) => {
  const code = '/KfeAzX/f9na8qdtNZmtONryp201ma04bEl8LcvLUd7a8qdtNZmtONryp201ma04';
  const value = { scheme: 'password', user: 'root', password: 'taosdata' } as const;
  t.deepEqual(readAuthorization(`Taosd ${code}`, codes, none), value);
  t.deepEqual(readAuthorization(`taosd ${codes.seal('root', 'taosdata')}`, codes, none), value);
  const broken = [code.slice(0, -4), `${code}AAAA`, 'A'.repeat(64), '!!!', `${code.slice(0, -1)}=`];
  for (const header of [...broken.map((text) => `Taosd ${text}`), `Custom ${code}`]) t.is(codeOf(header), 4389, header);
});

test('the password of a Basic header starts after the first colon', (t) => {
  const value = { scheme: 'password', user: 'root', password: 'a:b:c' } as const;
  t.deepEqual(readAuthorization(`  ${basicOf('root:a:b:c')} `, codes, none), value);
});

test('a Bearer token is passed on as it is', (t) => {
  t.deepEqual(readAuthorization('Bearer aB.cd', codes, none), { scheme: 'token', token: 'aB.cd' });
});

test('the case of the scheme means nothing', (t) => {
  const value = { scheme: 'password', user: 'root', password: 'one' } as const;
  for (const word of ['basic', 'BASIC', 'bASIC']) {
    const header = basicOf('root:one').replace('Basic', word);
    t.deepEqual(readAuthorization(header, codes, none), value);
    t.deepEqual(readWriteCredentials(header, none), value);
  }
  t.deepEqual(readAuthorization('bearer aB', codes, none), { scheme: 'token', token: 'aB' });
  t.deepEqual(readAuthorization(`CUSTOM ${codes.seal('root', 'one')}`, codes, none), value);
});

test('a login code stands for the user and password it was made from', (t) => {
  const header = `Custom ${codes.seal('alice', 's3 cret')}`;
  t.deepEqual(readAuthorization(header, codes, none), { scheme: 'password', user: 'alice', password: 's3 cret' });
});

test('any user and password survive a Basic header', (t) => {
  const user = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes(':'));
  const password = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(user, password, (name, secret) => {
      const read = readAuthorization(basicOf(`${name}:${secret}`), codes, none);
      t.deepEqual(read, { scheme: 'password', user: name, password: secret });
    }),
  );
});

test('write parameters u and p each override their half of a Basic header', (t) => {
  const header = basicOf('root:one');
  const read = (query: string) => readWriteCredentials(header, new URLSearchParams(query));
  t.deepEqual(read(''), { scheme: 'password', user: 'root', password: 'one' });
  t.deepEqual(read('u=eve'), { scheme: 'password', user: 'eve', password: 'one' });
  t.deepEqual(read('p=two'), { scheme: 'password', user: 'root', password: 'two' });
  t.deepEqual(read('u=eve&p=two'), { scheme: 'password', user: 'eve', password: 'two' });
});

test('a write needs both halves, and only u and p together make up for a bad header', (t) => {
  const codeOfWrite = (header: string | undefined, query: string) => {
    const read = readWriteCredentials(header, new URLSearchParams(query));
    return isFault(read) ? read.code : 'good';
  };
  t.is(codeOfWrite(undefined, ''), 4357);
  t.is(codeOfWrite(undefined, 'u=eve'), 4357);
  t.is(codeOfWrite('Basic !!!', 'u=eve'), 4388);
  t.is(codeOfWrite('Bearer abc', ''), 4386);
  t.is(codeOfWrite('Basic !!!', 'u=eve&p=two'), 'good');
});
