import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, shapeOf } from '../../support/sql/syntax.js';

const shape = (text: string) => shapeOf(parseStatement(text));

test('reads a database with options in any order and case', (t) => {
  t.deepEqual(
    shape(
      'CREATE DATABASE IF NOT EXISTS Power precision "us" KEEP 3650D,3650d, 7300d VGROUPS 0x4 table_prefix -3 ' +
        "cachemodel 'both' wal_retention_period -1 schemaless 1",
    ),
    {
      kind: 'create-database',
      name: bare('power'),
      ifNotExists: true,
      options: [
        { name: 'PRECISION', values: ['us'] },
        { name: 'KEEP', values: ['3650d', '3650d', '7300d'] },
        { name: 'VGROUPS', values: ['0x4'] },
        { name: 'TABLE_PREFIX', values: ['-3'] },
        { name: 'CACHEMODEL', values: ['both'] },
        { name: 'WAL_RETENTION_PERIOD', values: ['-1'] },
        { name: 'SCHEMALESS', values: ['1'] },
      ],
    },
  );
});

test('keeps repeated options in order and the place of each', (t) => {
  const statement = parseStatement('create database d buffer 3 buffer 4');
  if (statement.kind !== 'create-database') return t.fail();
  return t.deepEqual(
    statement.options.map(({ values, span }) => [values[0], span.start, span.end]),
    [
      ['3', 18, 26],
      ['4', 27, 35],
    ],
  );
});

test('reads ALTER DATABASE', (t) => {
  t.deepEqual(shape('alter database d keep 100 comp 1'), {
    kind: 'alter-database',
    name: bare('d'),
    options: [
      { name: 'KEEP', values: ['100'] },
      { name: 'COMP', values: ['1'] },
    ],
  });
});

test('refuses words of older versions, equal signs and missing values', (t) => {
  t.is(faultOf('create database d days 10').message, 'syntax error near "days 10"');
  t.is(faultOf('create database d keep = 10').message, 'syntax error near "= 10"');
  t.is(faultOf('create database d keep').code, 0x2601);
  t.is(faultOf('create database d precision ms').code, 0x2600);
  t.is(faultOf('alter database d').code, 0x2601);
  t.is(faultOf('create database').code, 0x2601);
});
