import test from 'ava';
import type { PrincipalOperation } from '../../../src/database/catalogue/operations.js';
import { Principals } from '../../../src/database/catalogue/principals.js';
import { Codes } from '../../../src/model/fault.js';

const at = 1_700_000_000_000;
const day = 86_400_000;

function folded(...operations: readonly PrincipalOperation[]) {
  const principals = new Principals();
  const codes = operations.map(
    (operation, i) => principals.apply(operation, { position: i + 1, at, key: '', operations: [] })?.code,
  );
  return { principals, codes };
}

const ann = { op: 'create-user', name: 'ann', passwordHash: 'h1' } as const;
const token = { op: 'create-token', name: 't', user: 'ann', digest: 'd1' } as const;

test('a change of a user keeps what it does not name, and is a new revision', (t) => {
  const { principals, codes } = folded(
    { ...ann, createDatabase: true, addHosts: ['10.0.0.1'] },
    { op: 'alter-user', name: 'ann', enabled: false },
    { op: 'alter-user', name: 'ann', addHosts: ['10.0.0.2'], dropHosts: ['10.0.0.1'] },
    ann,
    { op: 'alter-user', name: 'bob', enabled: true },
  );
  t.deepEqual(codes, [undefined, undefined, undefined, Codes.userAlreadyExists, Codes.userNotExist]);
  t.deepEqual(principals.user('ann'), {
    name: 'ann',
    passwordHash: 'h1',
    enabled: false,
    sysinfo: true,
    createDatabase: true,
    hosts: ['10.0.0.2'],
    created: at,
    revision: 3,
  });
});

test('rights add up and are taken away one by one; a right on a table is not one on a database of that spelling', (t) => {
  const grant = { op: 'grant', user: 'ann', scope: 'd' } as const;
  const { principals } = folded(
    ann,
    { ...grant, rights: ['READ'] },
    { ...grant, rights: ['WRITE', 'ALTER'] },
    { ...grant, op: 'revoke', rights: ['READ', 'ALTER'] },
    { ...grant, rights: ['READ'], table: 't' },
  );
  t.false(principals.holds('ann', 'READ', 'd'));
  t.true(principals.holds('ann', 'WRITE', 'd'));
  t.true(principals.holds('ann', 'READ', 'd', 't'));
  t.false(principals.holds('ann', 'READ', '["d","t"]'));
  principals.forgetTable('d', 't');
  t.false(principals.holds('ann', 'READ', 'd', 't'));
  principals.forgetDatabase('d');
  t.deepEqual(principals.grants('ann'), []);
});

test('what a user has ends with the user', (t) => {
  const { principals } = folded(ann, token, { op: 'grant', user: 'ann', scope: '*', rights: ['READ'] });
  principals.own('d', 'ann');
  const apply = (operation: PrincipalOperation) =>
    principals.apply(operation, { position: 9, at, key: '', operations: [] });
  apply({ op: 'drop-user', name: 'ann' });
  apply(ann);
  t.is(principals.owner('d'), undefined);
  t.deepEqual(principals.grants('ann'), []);
  t.is(principals.token('d1'), undefined);
});

test('the life of a token counts from the change that names it; 0 days are for ever', (t) => {
  const alter = { op: 'alter-token', name: 't' } as const;
  const { principals, codes } = folded(ann, { ...token, ttlDays: 2 }, token, { ...token, user: 'bob', name: 'u' });
  t.deepEqual(codes, [undefined, undefined, Codes.free, Codes.userNotExist]);
  t.is(principals.token('d1')?.expires, at + 2 * day);
  principals.apply({ ...alter, enabled: false }, { position: 9, at: at + day, key: '', operations: [] });
  t.is(principals.token('d1')?.expires, at + 2 * day);
  principals.apply({ ...alter, ttlDays: 0 }, { position: 9, at: at + day, key: '', operations: [] });
  t.is(principals.token('d1')?.expires, undefined);
  principals.apply({ op: 'drop-token', name: 't' }, { position: 9, at, key: '', operations: [] });
  t.is(principals.token('d1'), undefined);
});
