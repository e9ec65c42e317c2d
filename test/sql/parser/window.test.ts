import test from 'ava';
import { printQuery } from '../../support/sql/print-statement.js';
import { faultOf, queryOf } from '../../support/sql/syntax.js';

function reads(t: { is(actual: string, expected: string): void }, clause: string, expected = clause) {
  t.is(printQuery(queryOf(`select a from t ${clause}`)), `SELECT a FROM t ${expected}`);
}

test('reads INTERVAL with offset, SLIDING and FILL', (t) => {
  reads(t, 'INTERVAL(10s)');
  reads(t, 'interval(1000A)', 'INTERVAL(1000a)');
  reads(t, "interval('10s', '2s') sliding('5s')", 'INTERVAL(10s, 2s) SLIDING(5s)');
  reads(t, 'interval(1n, auto)', 'INTERVAL(1n, AUTO)');
  reads(t, 'interval(1d, -8h)', 'INTERVAL(1d, -8h)');
  reads(t, 'interval(10000) sliding(500)', 'INTERVAL(10000) SLIDING(500)');
  for (const mode of ['NONE', 'NULL', 'NULL_F', 'PREV', 'NEXT', 'NEAR', 'LINEAR']) {
    reads(t, `interval(1s) fill( ${mode} )`, `INTERVAL(1s) FILL(${mode})`);
  }
  reads(t, "interval(1s) fill(value, 1, -2.5, NULL, 'x')", "INTERVAL(1s) FILL(VALUE, 1, -2.5, NULL, 'x')");
  reads(t, 'interval(1s) fill(value_f, -1)', 'INTERVAL(1s) FILL(VALUE_F, -1)');
});

test('reads the windows over rows', (t) => {
  reads(t, 'SESSION(ts, 10s)');
  reads(t, 'STATE_WINDOW(CASE WHEN (v > 1) THEN 1 END, 2)', 'STATE_WINDOW(CASE WHEN (v > 1) THEN 1 END) EXTEND(2)');
  reads(t, 'STATE_WINDOW(v, 0, -1) TRUE_FOR(3s)', 'STATE_WINDOW(v) EXTEND(0) ZEROTH_STATE((- 1)) TRUE_FOR(3s)');
  reads(t, "state_window(v, w) zeroth_state('a', no_zeroth)", "STATE_WINDOW(v, w) ZEROTH_STATE('a', NO_ZEROTH)");
  reads(t, 'STATE_WINDOW(v) TRUE_FOR(3s AND COUNT 3)');
  reads(t, 'EVENT_WINDOW START WITH (a >= 0) END WITH (b = TRUE) TRUE_FOR(1m)');
  reads(t, 'COUNT_WINDOW(10)');
  reads(t, 'count_window(10, 2, a, b)', 'COUNT_WINDOW(10, 2, a, b)');
  reads(t, 'count_window(10, a)', 'COUNT_WINDOW(10, a)');
});

test('reads RANGE, EVERY and FILL of INTERP', (t) => {
  reads(t, "RANGE('2024-01-01', '2024-01-02') EVERY(1h) FILL(LINEAR)");
  reads(t, 'range(now-1d) fill(prev)', 'RANGE((NOW - 1d)) FILL(PREV)');
});

test('refuses EVERY or FILL on their own with the code for it', (t) => {
  t.is(faultOf('select interp(a) from t every(1s)').code, 0x265d);
  t.is(faultOf('select a from t fill(prev)').code, 0x265d);
});

test('refuses add-ons and rare arguments as not available', (t) => {
  for (const clause of ['anomaly_window(a)', 'range(1, 2) fill(prev, 7)', 'interval(1s) fill(prev, 10s)']) {
    t.is(faultOf(`select a from t ${clause}`).code, 0x0100, clause);
  }
});

test('refuses broken window clauses', (t) => {
  for (const clause of [
    'interval()',
    'interval(10x)',
    "interval('10')",
    "interval('s')",
    'interval(-10s)',
    'interval(1.5s)',
    'interval(1s) fill(value)',
    'interval(1s) fill(sometimes)',
    'session(ts)',
    'state_window()',
    'event_window start with a',
    'count_window(a)',
    'session(ts, 1s) fill(prev)',
  ]) {
    t.true([0x2600, 0x2601].includes(faultOf(`select a from t ${clause}`).code), clause);
  }
});
