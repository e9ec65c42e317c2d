import test from 'ava';
import { inClientWords } from '../../../../src/database/host/connection/client-words.js';
import { reasonOf } from '../../../../src/model/fault.js';

const tag = '/* tag */ ';
const outfile = "INTO OUTFILE '/dev/shm/pipe' TRUNCATE COMPRESSION 'none' ";

/** The client's version of the engine's message about the query `head`. */
function reported(head: string, message: string, clause = outfile): string {
  return reasonOf(inClientWords(new Error(message), { tag, head, outfile: clause }));
}

test('a position within the query does not count the prefix of the host', (t) => {
  const message = `failed at position 11 (selec) (line 1, col 11): selec 1\n${outfile}FORMAT JSON. Expected one of: SELECT`;
  t.is(
    reported('selec 1', message),
    'failed at position 1 (selec) (line 1, col 1): selec 1\nFORMAT JSON. Expected one of: SELECT',
  );
  t.is(
    reported('selec 1', 'failed at position 11 (selec): selec 1. Expected', ''),
    'failed at position 1 (selec): selec 1. Expected',
  );
});

test('a position on a later line keeps its line and column', (t) => {
  const message = `failed at position 21 (x) (line 2, col 5): x\n${outfile}FORMAT CSV. Expected`;
  t.is(reported('select\nbad x', message), 'failed at position 11 (x) (line 2, col 5): x\nFORMAT CSV. Expected');
});

test('a query that ends too early ends at its format', (t) => {
  const rest = outfile.slice(outfile.indexOf("'"));
  const message = `failed at position 35 ('/dev/shm/pipe') (line 2, col 14): ${rest}FORMAT CSV. Expected one of: token`;
  t.is(
    reported('select 1 +', message),
    'failed at position 12 (FORMAT) (line 2, col 1): FORMAT CSV. Expected one of: token',
  );
});

test('a position after the clause of the host does not count it', (t) => {
  const at = tag.length + 'select 1'.length + 1 + outfile.length + 'FORMAT '.length + 1;
  const message = `failed at position ${at} (;) (line 2, col ${at - tag.length - 9}): ;. Expected`;
  t.is(reported('select 1', message), 'failed at position 17 (;) (line 2, col 8): ;. Expected');
});

test('a text that the engine truncates within the clause of the host ends before it', (t) => {
  for (const length of [1, 5, 20, outfile.length]) {
    const message = `failed at position 11 (a): a b\n${outfile.slice(0, length)}... Expected`;
    t.is(reported('a b', message), 'failed at position 1 (a): a b... Expected');
  }
});

test('other errors stay as they are', (t) => {
  const error = new Error('Unknown table x');
  t.is(inClientWords(error, { tag, head: 'select 1', outfile }), error);
  t.is(inClientWords('text', { tag, head: 'select 1', outfile }), 'text');
});
