import test from 'ava';
import fc from 'fast-check';
import { redactFields } from '../../src/telemetry/redact.js';

test('masks secret names at every depth and in any case', (t) => {
  const fields = {
    user: 'root',
    password: 'x',
    list: [{ token: 'x' }, 'plain'],
    headers: { Authorization: 'x', accept: 'y' },
    query: { u: 'me', p: 'x', P: 'x' },
    monitorPassword: 'x',
    missing: { token: undefined },
  };
  t.deepEqual(redactFields(fields), {
    user: 'root',
    password: '******',
    list: [{ token: '******' }, 'plain'],
    headers: { Authorization: '******', accept: 'y' },
    query: { u: 'me', p: '******', P: '******' },
    monitorPassword: '******',
    missing: { token: undefined },
  });
});

test('leaves the fields it was given as they are', (t) => {
  const fields = { inner: { password: 'x' } };
  redactFields(fields);
  t.is(fields.inner.password, 'x');
});

test('masks what errors and things with a JSON form of their own carry', (t) => {
  const error = Object.assign(new Error('refused'), { request: { password: 'x' } });
  const printed = JSON.stringify(redactFields({ err: error, inner: { toJSON: () => ({ token: 'x', at: 1 }) } }));
  t.regex(printed, /"message":"refused"/);
  t.regex(printed, /"request":\{"password":"\*{6}"\}/);
  t.regex(printed, /"inner":\{"token":"\*{6}","at":1\}/);
  t.is(redactFields({ body: new Uint8Array(3) }).body, '[3 bytes]');
});

test('fields that hold themselves can be logged', (t) => {
  const fields: { name: string; self?: unknown } = { name: 'a' };
  fields.self = fields;
  t.notThrows(() => JSON.stringify(redactFields(fields)));
});

test('never lets the value of a secret name through', (t) => {
  const property = fc.property(fc.object({ key: fc.constantFrom('password', 'p', 'a', 'token') }), (fields) => {
    JSON.stringify(redactFields(fields), (name, value: unknown) => {
      if (['password', 'p', 'token'].includes(name))
        t.true(value === '******' || value === null || value === undefined);
      return value;
    });
  });
  fc.assert(property);
  t.pass();
});
