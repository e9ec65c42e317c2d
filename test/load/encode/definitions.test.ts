import test from 'ava';
import {
  childNamesText,
  createDatabaseText,
  createTsmaText,
  dropDatabaseText,
  dropStreamText,
} from '../../../src/load/encode/definitions.js';
import { createStreamText } from '../../../src/load/model/names.js';
import type { DatabasePlan, SuperTablePlan } from '../../../src/load/model/scenario.js';

const database: DatabasePlan = {
  name: 'Shop',
  drop: true,
  precision: 'us',
  options: ['VGROUPS 6', 'keep 3650', "PRECISION 'us'"],
  escapeNames: false,
  superTables: [],
};

const plan: Pick<SuperTablePlan, 'name' | 'escapeNames' | 'childPrefix' | 'childLimit' | 'childOffset'> = {
  name: 'Till',
  escapeNames: false,
  childPrefix: 't_',
  childLimit: 7,
  childOffset: 2,
};

test('a database is made with its options in their order, and names fold unless they are quoted', (t) => {
  t.is(dropDatabaseText(database), 'DROP DATABASE IF EXISTS shop');
  t.is(createDatabaseText(database), "CREATE DATABASE IF NOT EXISTS shop VGROUPS 6 keep 3650 PRECISION 'us'");
  t.is(dropDatabaseText({ ...database, escapeNames: true }), 'DROP DATABASE IF EXISTS `Shop`');
});

test('sub-tables of a prefix are queried in order, and the prefix means itself alone', (t) => {
  t.is(
    childNamesText(database, plan),
    "SELECT DISTINCT tbname FROM shop.till WHERE tbname LIKE 't\\\\_%' ORDER BY tbname LIMIT 7 OFFSET 2",
  );
  t.is(
    childNamesText(database, { ...plan, childPrefix: '' }),
    'SELECT DISTINCT tbname FROM shop.till ORDER BY tbname LIMIT 7 OFFSET 2',
  );
  t.regex(childNamesText(database, { ...plan, childPrefix: "a'%" }), /LIKE 'a\\'\\\\%%'/);
});

test('a stream has its parts in order, and parts that are absent are left out', (t) => {
  const stream = {
    name: 's',
    target: 'shop.out',
    sql: 'SELECT 1',
    options: ['TRIGGER at_once', 'WATERMARK 5s'],
    targetOptions: [],
  };
  t.is(
    createStreamText(stream),
    'CREATE STREAM IF NOT EXISTS s TRIGGER at_once WATERMARK 5s INTO shop.out AS SELECT 1',
  );
  t.is(
    createStreamText({ ...stream, options: [], targetOptions: ['TAGS (a)'] }),
    'CREATE STREAM IF NOT EXISTS s INTO shop.out TAGS (a) AS SELECT 1',
  );
  t.is(dropStreamText(stream), 'DROP STREAM IF EXISTS s');
});

test('a TSMA has its windows and what is appended', (t) => {
  const tsma = { name: 'x', function: 'avg(v)', interval: '1m', sliding: '30s', custom: '', startWhenInserted: 0 };
  const text = 'CREATE SMA INDEX x ON shop.till FUNCTION(avg(v)) INTERVAL(1m) SLIDING(30s)';
  t.is(createTsmaText(database, plan, tsma), text);
  t.is(createTsmaText(database, plan, { ...tsma, custom: 'MAX_DELAY 5s' }), `${text} MAX_DELAY 5s`);
});
