import test from 'ava';
import { printExpr } from '../../../src/sql/engine/print.js';
import { raisedFault, raiseIf } from '../../../src/sql/engine/raise.js';
import { expr } from '../../../src/sql/engine/template.js';

test('an error raised in a statement is found again in what the engine says', (t) => {
  const raised = raiseIf(expr`a = b`, 0x2805, "it's twice");
  t.is(printExpr(raised), "throwIf(a = b, '{10245 it\\'s twice}')");
  const said = "{10245 it's twice}: while executing 'FUNCTION throwIf(equals(1, 1) :: 0)'";
  const fault = raisedFault(said);
  t.deepEqual([fault?.kind, fault?.code, fault?.message], ['database', 0x2805, "it's twice"]);
  t.is(raisedFault(`Code: 395. DB::Exception: ${said}`)?.code, 0x2805);
  t.is(raisedFault(`Received from 127.0.0.1:9000. DB::Exception: ${said}`)?.code, 0x2805);
  t.is(raisedFault(`Code: 395. DB::Exception: Received from [::1]:9000. DB::Exception: ${said}`)?.code, 0x2805);
});

test('other errors of the engine are not taken for raised ones', (t) => {
  t.is(raisedFault('Value passed to throwIf is non-zero: while executing'), undefined);
  t.is(raisedFault('Unknown table {10245 x}'), undefined);
});
