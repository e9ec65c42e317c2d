import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, quoted, shapeOf } from '../../support/sql/syntax.js';

test('reads the SHOW family', (t) => {
  const d = bare('d');
  const like = undefined;
  const table = { database: undefined, name: bare('t') };
  const cases: Record<string, object> = {
    databases: { what: 'databases', which: 'all' },
    'user databases': { what: 'databases', which: 'user' },
    'SYSTEM databases;': { what: 'databases', which: 'system' },
    tables: { what: 'tables', which: 'all', database: undefined, like },
    "d.tables like 'a%'": { what: 'tables', which: 'all', database: d, like: 'a%' },
    'normal tables': { what: 'tables', which: 'normal', database: undefined, like },
    'child `D`.tables': { what: 'tables', which: 'child', database: quoted('D'), like },
    stables: { what: 'stables', database: undefined, like },
    "`D`.stables like 'x'": { what: 'stables', database: quoted('D'), like: 'x' },
    'tables.stables': { what: 'stables', database: bare('tables'), like },
    'stables from d': { what: 'stables', database: d, like },
    "stables from `D` like 'x';": { what: 'stables', database: quoted('D'), like: 'x' },
    "tables from d like 'a%'": { what: 'tables', which: 'all', database: d, like: 'a%' },
    'normal tables from d': { what: 'tables', which: 'normal', database: d, like },
    'vgroups from d': { what: 'vgroups', database: d, like },
    "views from d like 'v'": { what: 'list', list: 'VIEWS', like: 'v', ofDatabase: d },
    'streams from d': { what: 'list', list: 'STREAMS', like, ofDatabase: d },
    'd.vtables;': { what: 'list', list: 'VTABLES', like, ofDatabase: d },
    'vtables from d': { what: 'list', list: 'VTABLES', like, ofDatabase: d },
    'd.vgroups': { what: 'vgroups', database: d, like },
    vgroups: { what: 'vgroups', database: undefined, like },
    'create database d': { what: 'create-database', database: d },
    'create table t': { what: 'create-table', table },
    'create stable d.t': { what: 'create-stable', table: { database: d, name: bare('t') } },
    'create view t': { what: 'create-view', table },
    'tags from t': { what: 'tags', table },
    'tags from t from d': { what: 'tags', table: { database: d, name: bare('t') } },
    'tags from d.t': { what: 'tags', table: { database: d, name: bare('t') } },
    'table tags from t': { what: 'table-tags', table, tags: [] },
    'table tags a, b as x from t': {
      what: 'table-tags',
      table,
      tags: [
        { name: bare('a'), alias: undefined },
        { name: bare('b'), alias: bare('x') },
      ],
    },
    'table distributed t': { what: 'table-distributed', table },
    'indexes from t': { what: 'indexes', table },
    'd.alive': { what: 'alive', database: d },
    'cluster alive': { what: 'alive', database: undefined },
    'd.disk_info': { what: 'list', list: 'DISK_INFO', like, ofDatabase: bare('d') },
    users: { what: 'list', list: 'USERS', like },
    'users full': { what: 'list', list: 'USERS FULL', like },
    dnodes: { what: 'list', list: 'DNODES', like },
    cluster: { what: 'list', list: 'CLUSTER', like },
    "cluster variables like 'a%'": { what: 'list', list: 'CLUSTER VARIABLES', like: 'a%' },
    'local variables': { what: 'list', list: 'LOCAL VARIABLES', like },
    'dnode 1 variables': { what: 'list', list: 'DNODE VARIABLES', like, dnode: 1 },
    'user privileges': { what: 'list', list: 'USER PRIVILEGES', like },
    tokens: { what: 'list', list: 'TOKENS', like },
    queries: { what: 'list', list: 'QUERIES', like },
  };
  for (const [source, show] of Object.entries(cases)) {
    t.deepEqual(shapeOf(parseStatement(`show ${source}`)), { kind: 'show', show }, source);
  }
});

test('refuses what it cannot show', (t) => {
  t.is(faultOf('show').code, 0x2601);
  t.is(faultOf('show everything').message, 'syntax error near "everything"');
  t.is(faultOf('show create foo').code, 0x2600);
  t.is(faultOf('show tables like').code, 0x2601);
  t.is(faultOf('show tables like a').code, 0x2600);
  t.is(faultOf('show d.users').code, 0x2600);
  t.is(faultOf('show databases d').code, 0x2600);
  t.is(faultOf('show d.stables from d').message, 'syntax error near "from d"');
  t.is(faultOf('show users from d').message, 'syntax error near "from d"');
  t.is(faultOf('show stables from').code, 0x2601);
});
