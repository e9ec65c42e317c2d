import test from 'ava';
import { Codes, FaultError } from '../../../src/model/fault.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';

function codeOf(text: string): number {
  try {
    parseStatement(text);
  } catch (error) {
    if (error instanceof FaultError) return error.fault.code;
    throw error;
  }
  return 0;
}

function topicOf(text: string) {
  const statement = parseStatement(text);
  if (statement.kind !== 'create-topic') throw new Error(statement.kind);
  return statement;
}

test('reads a topic over a query, a super table and a database', (t) => {
  const query = topicOf('CREATE TOPIC IF NOT EXISTS Warm WITH META AS (SELECT ts, v FROM d.m WHERE v > 20);');
  t.like(query, { ifNotExists: true, meta: true, name: { text: 'warm' } });
  t.like(query.source, { kind: 'query', text: '(SELECT ts, v FROM d.m WHERE v > 20)' });
  const table = topicOf("create topic `T 1` as stable d.m where site = 'x' and g > 1");
  t.like(table, { ifNotExists: false, meta: false, name: { text: 'T 1' } });
  t.like(table.source, { kind: 'table', text: "site = 'x' and g > 1", table: { name: { text: 'm' } } });
  t.like(topicOf('create topic x as stable m').source, { kind: 'table', text: undefined });
  t.like(topicOf('create topic x as database d').source, { kind: 'database', database: { text: 'd' } });
});

test('reads what drops a topic and a consumer group, which may be called force', (t) => {
  const shape = (text: string) => {
    const statement = parseStatement(text);
    if (statement.kind === 'drop-topic') return [statement.name.text, statement.ifExists, statement.force];
    if (statement.kind !== 'drop-consumer-group') return statement.kind;
    return [statement.group.text, statement.topic.text, statement.ifExists, statement.force];
  };
  t.deepEqual(shape('DROP TOPIC x'), ['x', false, false]);
  t.deepEqual(shape('DROP TOPIC IF EXISTS FORCE x'), ['x', true, true]);
  t.deepEqual(shape('DROP TOPIC force'), ['force', false, false]);
  t.deepEqual(shape('DROP CONSUMER GROUP g ON x'), ['g', 'x', false, false]);
  t.deepEqual(shape('DROP CONSUMER GROUP IF EXISTS FORCE `g-1` ON x'), ['g-1', 'x', true, true]);
  t.deepEqual(shape('DROP CONSUMER GROUP force ON x'), ['force', 'x', false, false]);
});

test('refuses what is no topic', (t) => {
  t.is(codeOf('create topic x only meta as database d'), Codes.notSupported);
  t.is(codeOf('create topic x as'), Codes.incompleteStatement);
  t.is(codeOf('create topic x select 1'), Codes.syntaxError);
  t.is(codeOf('create topic x as stable m, n'), Codes.syntaxError);
  t.is(codeOf(`create topic ${'x'.repeat(193)} as database d`), Codes.invalidIdentifier);
  t.is(codeOf('drop consumer group g'), Codes.incompleteStatement);
});

test('reads the right on a topic', (t) => {
  t.like(parseStatement('grant subscribe on x to bob'), { kind: 'grant-topic', topic: { text: 'x' } });
  t.like(parseStatement('revoke all on `x y` from bob'), { kind: 'revoke-topic', topic: { text: 'x y' } });
});
