import test from 'ava';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { CatalogueState } from '../../../src/database/catalogue/state.js';
import { Codes } from '../../../src/model/fault.js';

let position = 0;

/** Applies operations at a time; gives their codes, 0 where there was no fault. */
function apply(state: CatalogueState, at: number, ...operations: readonly Operation[]): number[] {
  return operations.map((operation) => {
    position += 1;
    return state.apply({ position, at, key: '', operations: [operation] })[0]?.code ?? 0;
  });
}

function user(name: string): Operation {
  return { op: 'create-user', name, passwordHash: '' };
}

function creation(id: string, by: string, content: string): Operation {
  return { op: 'create-document', kind: 'dashboard', id, name: id, isShared: false, user: by, content };
}

function replacement(id: string, by: string, content: string, version: number): Operation {
  return { op: 'replace-document', kind: 'dashboard', id, name: id, isShared: true, user: by, content, version };
}

test('of two changes of one version the second is refused, and so is the removal of an old version', (t) => {
  const state = new CatalogueState();
  apply(state, 0, user('root'), user('ann'));
  t.deepEqual(
    apply(state, 1, creation('a', 'ann', '1'), replacement('a', 'ann', '2', 1), replacement('a', 'root', '3', 1)),
    [0, 0, Codes.documentChanged],
  );
  t.like(state.documents.document('dashboard', 'a'), { content: '2', version: 2, owner: 'ann', updatedBy: 'ann' });
  t.deepEqual(
    apply(
      state,
      2,
      { op: 'drop-document', kind: 'dashboard', id: 'a', version: 1 },
      { op: 'drop-document', kind: 'saved-query', id: 'a', version: 2 },
      { op: 'drop-document', kind: 'dashboard', id: 'a', version: 2 },
      { op: 'drop-document', kind: 'dashboard', id: 'a', version: 2 },
    ),
    [Codes.documentChanged, Codes.documentNotExist, 0, Codes.documentNotExist],
  );
  t.deepEqual(state.documents.all('dashboard'), []);
});

test('documents of a dropped user become those of root, whoever gets the name later', (t) => {
  const state = new CatalogueState();
  apply(state, 0, user('root'), user('ann'), creation('a', 'ann', '1'), { op: 'drop-user', name: 'ann' }, user('ann'));
  t.is(state.documents.document('dashboard', 'a')?.owner, 'root');
  t.deepEqual(apply(state, 0, { op: 'drop-user', name: 'ann' }, creation('b', 'ann', '2')), [0, Codes.userNotExist]);
});

test('a user has at most a thousand documents, and one that was dropped makes room', (t) => {
  const state = new CatalogueState();
  apply(state, 0, user('root'), user('ann'));
  const all = Array.from({ length: 1_001 }, (_, at) => creation(`d${at}`, 'ann', String(at)));
  t.deepEqual(apply(state, 0, ...all).slice(-2), [0, Codes.notSupported]);
  t.deepEqual(
    apply(state, 0, { op: 'drop-document', kind: 'dashboard', id: 'd0', version: 1 }, creation('more', 'ann', '9')),
    [0, 0],
  );
  t.deepEqual(apply(state, 0, creation('other', 'root', '10')), [0]);
});

test('the content of a replaced version stays for an hour', (t) => {
  const state = new CatalogueState();
  apply(
    state,
    0,
    user('root'),
    creation('a', 'root', '1'),
    replacement('a', 'root', '2', 1),
    creation('b', 'root', '3'),
  );
  t.deepEqual([...state.documents.contents()].sort(), ['1', '2', '3']);
  apply(state, 3_600_000, replacement('b', 'root', '4', 1));
  t.deepEqual([...state.documents.contents()].sort(), ['1', '2', '3', '4']);
  apply(state, 3_600_001, replacement('b', 'root', '5', 2));
  t.deepEqual([...state.documents.contents()].sort(), ['2', '3', '4', '5']);
});
