import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, shapeOf } from '../../support/sql/syntax.js';

const shape = (text: string) => shapeOf(parseStatement(text));
const none = { enable: undefined, ttl: undefined, provider: undefined, extraInfo: undefined };

test('reads statements about tokens with their options in any order', (t) => {
  const cases: Record<string, unknown> = {
    'create token T from user u': {
      kind: 'create-token',
      name: bare('t'),
      ifNotExists: false,
      user: bare('u'),
      options: none,
    },
    "create token if not exists t from user u extra_info 'e' ttl 7 provider 'p' enable 0;": {
      kind: 'create-token',
      name: bare('t'),
      ifNotExists: true,
      user: bare('u'),
      options: { enable: 0, ttl: 7, provider: 'p', extraInfo: 'e' },
    },
    'alter token t ttl 0': { kind: 'alter-token', name: bare('t'), options: { ...none, ttl: 0 } },
    'drop token if exists t': { kind: 'drop-token', name: bare('t'), ifExists: true },
  };
  for (const [source, expected] of Object.entries(cases)) t.deepEqual(shape(source), expected, source);
});

test('refuses tokens of the wrong shape', (t) => {
  t.is(faultOf('create token t').code, 0x2601);
  t.is(faultOf('create token t from u').code, 0x2600);
  t.is(faultOf('alter token t').code, 0x2601);
  t.is(faultOf("drop token 't'").code, 0x2600);
  t.is(faultOf(`create token ${'t'.repeat(32)} from user u`).code, 0x2617);
});
