import test from 'ava';
import { Codes, fault } from '../../../src/model/fault.js';
import { withPlace } from '../../../src/sql/syntax/place.js';
import { faultOf } from '../../support/sql/syntax.js';

function told(statement: string): string {
  return withPlace(faultOf(statement), statement).message;
}

test('a syntax error is told with line and column', (t) => {
  t.is(told('SELECT * form d.t'), 'syntax error near "form d.t" at line 1, column 10');
  t.is(told('SELECT *\n  FROM t\n WHERE )'), 'syntax error near ")" at line 3, column 8');
  t.is(told('SELECT'), 'Incomplete SQL statement');
});

test('a name is told with its place, in back-quotes and any case of letters, and not where another text was meant', (t) => {
  const unknown = fault('database', Codes.invalidColumnName, 'Invalid column name: humid');
  const at = (start: number) =>
    withPlace({ ...unknown, place: { start, word: 'humid' } }, 'SELECT Humid, `humid` FROM t');
  t.is(at(7).message, 'Invalid column name: humid at line 1, column 8');
  t.is(at(14).message, 'Invalid column name: humid at line 1, column 15');
  t.is(at(2).message, 'Invalid column name: humid');
  t.is(withPlace(unknown, 'SELECT humid').message, 'Invalid column name: humid');
});
