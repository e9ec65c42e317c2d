import test from 'ava';
import { request } from '../../support/load/insert-file.js';
import { notesOf } from '../../support/load/request.js';

test('warns of keys of other programs once, however many columns have them', (t) => {
  const columns = [
    { type: 'int', gen: 'order' },
    { type: 'int', gen: 'order', fillNull: 'false' },
  ];
  t.is(
    notesOf(request({ angle_step: 1, columns })),
    [
      'warn: a.json: line 1: databases[0].super_tables[0].angle_step: has no effect here.',
      'warn: a.json: line 1: databases[0].super_tables[0].columns[0].gen: has no effect here.',
      'warn: a.json: line 1: databases[0].super_tables[0].columns[1].fillNull: has no effect here.',
    ].join('\n'),
  );
});

test('warns of a window of sub-tables where none exist', (t) => {
  t.regex(
    notesOf(request({ childtable_offset: 1 })),
    /^warn: .*childtable_offset: has no effect without "child_table_exists": "yes"/,
  );
});
