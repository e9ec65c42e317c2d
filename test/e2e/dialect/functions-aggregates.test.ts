import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { at, base, tablesOfNumbers } from '../../support/sql/function-tables.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

tablesOfNumbers(test, service);

const infinite = '(v - 2) * 1e308 * 10';

statements('what is added up is what each row gives, in whatever place', service, 's', [
  { sql: `SELECT sum(${infinite}), max(v) FROM line`, rows: [[null, 3]] },
  { sql: `SELECT avg(${infinite}) FROM line`, rows: [[null]] },
  { sql: `SELECT sum(${infinite}) FROM line GROUP BY tbname`, rows: [[null]] },
  { sql: `SELECT * FROM (SELECT sum(${infinite}) FROM line)`, rows: [[null]] },
]);

statements('percentiles are exact and lie between neighbours', service, 's', [
  { sql: 'SELECT percentile(v, 50) FROM one', rows: [[1.5]], meta: [['percentile(v, 50)', 'DOUBLE', 8]] },
  { sql: 'SELECT percentile(v, 0) FROM one', rows: [[1]] },
  { sql: 'SELECT percentile(v, 75.0) FROM one', rows: [[2.25]] },
  {
    sql: 'SELECT percentile(v, 50, 100) AS p FROM one',
    rows: [['[1.500000, 3.000000]']],
    meta: [['p', 'VARCHAR', 512]],
  },
  { sql: 'SELECT percentile(d, 100) FROM one', rows: [[10]] },
  { sql: 'SELECT percentile(v, 50) FROM empty', rows: [] },
  { sql: 'SELECT percentile(v, 50), percentile(v, 1, 2), count(v) FROM nulls', rows: [[null, null, 0]] },
  { sql: 'SELECT tbname, percentile(v, 100) FROM b GROUP BY tbname', rows: [['b', 10]] },
  {
    sql: 'SELECT _wstart, percentile(v, 100) FROM one INTERVAL(4s)',
    rows: [
      [at(0), 2],
      [at(4), 3],
    ],
  },
  { sql: 'SELECT percentile(v, 50) FROM st', error: 0x265f, says: 'Only support single table' },
  { sql: 'SELECT percentile(v, 101) FROM one', error: 0x2803 },
  { sql: 'SELECT percentile(v, -1) FROM one', error: 0x2803 },
  { sql: 'SELECT percentile(n, 1) FROM one', error: 0x2802 },
  { sql: 'SELECT percentile(v, v) FROM one', error: 0x2802 },
  { sql: 'SELECT percentile(v) FROM one', error: 0x2801 },
  { sql: 'SELECT percentile(v, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) FROM one', error: 0x2801 },
  { sql: 'SELECT apercentile(v, 50) FROM one', rows: [[1.5]], meta: [['apercentile(v, 50)', 'DOUBLE', 8]] },
  { sql: "SELECT apercentile(v, 100, 't-digest') FROM st", rows: [[10]] },
  {
    sql: "SELECT g, apercentile(v, 100, 'default') FROM st GROUP BY g",
    rows: [
      [1, 4],
      [2, 10],
    ],
  },
  { sql: 'SELECT apercentile(v, 50) FROM nulls', rows: [[null]] },
  { sql: "SELECT apercentile(v, 50, 'x') FROM one", error: 0x2803 },
]);

statements('histograms have a row for each bin', service, 's', [
  {
    sql: "SELECT histogram(v, 'user_input', '[0,1,2,5]', 0) AS h FROM one",
    rows: [
      ['{"lower_bin":0, "upper_bin":1, "count":2}'],
      ['{"lower_bin":1, "upper_bin":2, "count":1}'],
      ['{"lower_bin":2, "upper_bin":5, "count":1}'],
    ],
    meta: [['h', 'VARCHAR', 512]],
  },
  {
    sql: "SELECT histogram(v, 'user_input', '[0,1,3]', 1) AS h FROM one",
    rows: [['{"lower_bin":0, "upper_bin":1, "count":0.500000}'], ['{"lower_bin":1, "upper_bin":3, "count":0.500000}']],
  },
  {
    sql: `SELECT histogram(v, 'linear_bin', '{"start": 0, "width": 1.5, "count": 2, "infinity": false}', 0) FROM one`,
    rows: [['{"lower_bin":0, "upper_bin":1.5, "count":2}'], ['{"lower_bin":1.5, "upper_bin":3, "count":2}']],
  },
  {
    sql: `SELECT histogram(v, 'linear_bin', '{"start": 1, "width": 1, "count": 2, "infinity": true}', 0) FROM one`,
    rows: [
      ['{"lower_bin":-inf, "upper_bin":1, "count":2}'],
      ['{"lower_bin":1, "upper_bin":2, "count":1}'],
      ['{"lower_bin":2, "upper_bin":inf, "count":1}'],
    ],
  },
  // Bins below zero, values at their bounds, and values outside of all bins.
  {
    sql: "SELECT histogram(0 - v, 'user_input', '[-3,-2,-1.5,0]', 0) FROM one",
    rows: [
      ['{"lower_bin":-3, "upper_bin":-2, "count":1}'],
      ['{"lower_bin":-2, "upper_bin":-1.5, "count":0}'],
      ['{"lower_bin":-1.5, "upper_bin":0, "count":2}'],
    ],
  },
  {
    sql: "SELECT histogram(v, 'user_input', '[100,200]', 0) FROM one",
    rows: [['{"lower_bin":100, "upper_bin":200, "count":0}']],
  },
  {
    sql: "SELECT histogram(v, 'user_input', '[0,1]', 1) FROM nulls",
    rows: [['{"lower_bin":0, "upper_bin":1, "count":0.000000}']],
  },
  {
    sql: `SELECT COUNT(*) FROM (SELECT histogram(v, 'linear_bin', '{"start": 0, "width": 0.01, "count": 900, "infinity": true}', 0) AS h FROM one) WHERE h NOT LIKE '%"count":0}'`,
    rows: [[3]],
  },
  {
    sql: `SELECT histogram(v, 'log_bin', '{"start": 1, "factor": 2, "count": 2, "infinity": false}', 0) FROM one`,
    rows: [['{"lower_bin":1, "upper_bin":2, "count":1}'], ['{"lower_bin":2, "upper_bin":4, "count":1}']],
  },
  {
    sql: "SELECT g, histogram(v, 'user_input', '[0,5,20]', 0) FROM st GROUP BY g",
    rows: [
      [1, '{"lower_bin":0, "upper_bin":5, "count":3}'],
      [1, '{"lower_bin":5, "upper_bin":20, "count":0}'],
      [2, '{"lower_bin":0, "upper_bin":5, "count":0}'],
      [2, '{"lower_bin":5, "upper_bin":20, "count":3}'],
    ],
  },
  {
    sql: "SELECT histogram(v, 'user_input', '[0,1]', 0) FROM nulls",
    rows: [['{"lower_bin":0, "upper_bin":1, "count":0}']],
  },
  { sql: "SELECT histogram(v, 'user_input', '[0,1]', 0) FROM empty", rows: [] },
  { sql: "SELECT histogram(v, 'user_input', '[1,0]', 0) FROM one", error: 0x2803 },
  { sql: "SELECT histogram(v, 'user_input', 'x', 0) FROM one", error: 0x2803 },
  { sql: "SELECT histogram(v, 'no_bin', '[0,1]', 0) FROM one", error: 0x2803 },
  { sql: "SELECT histogram(v, 'user_input', '[0,1]', 2) FROM one", error: 0x2803 },
  { sql: "SELECT histogram(v, 'user_input', '[0,1]', 0), count(*) FROM one", error: 0x2667 },
  { sql: "SELECT histogram(n, 'user_input', '[0,1]', 0) FROM one", error: 0x2802 },
]);

statements('statistics of the values leave out NULL, and have the types of the dialect', service, 's', [
  { sql: 'SELECT mode(v), mode(n), mode(b), mode(r), mode(d) FROM one', rows: [[1, 'a', true, 0.1, '0.50']] },
  { sql: 'SELECT mode(v) FROM one', meta: [['mode(v)', 'INT', 4]] },
  { sql: 'SELECT mode(v), mode(n) FROM nulls', rows: [[null, null]] },
  { sql: 'SELECT mode(v) FROM empty', rows: [] },
  { sql: "SELECT mode(NULL), mode(1), mode('x'), group_concat(NULL, ',') FROM one", rows: [[null, 1, 'x', null]] },
  {
    sql: 'SELECT g, mode(v % 2) FROM st GROUP BY g',
    rows: [
      [1, 0],
      [2, 0],
    ],
  },
  {
    sql: 'SELECT hyperloglog(v), hyperloglog(n) FROM one',
    rows: [[3, 3]],
    meta: [
      ['hyperloglog(v)', 'BIGINT', 8],
      ['hyperloglog(n)', 'BIGINT', 8],
    ],
  },
  { sql: 'SELECT hyperloglog(v) FROM empty', rows: [[0]] },
  { sql: 'SELECT spread(v), spread(f), spread(ts) FROM one', rows: [[2, 3, 6000]] },
  { sql: 'SELECT spread(v) FROM nulls', rows: [[null]] },
  {
    sql: 'SELECT stddev(v), std(v), stddev_pop(v), variance(v), var_pop(v) FROM line',
    rows: [[0.816496580927726, 0.816496580927726, 0.816496580927726, 2 / 3, 2 / 3]],
  },
  {
    sql: 'SELECT stddev_samp(v), var_samp(v) FROM line',
    rows: [[1, 1]],
    meta: [
      ['stddev_samp(v)', 'DOUBLE', 8],
      ['var_samp(v)', 'DOUBLE', 8],
    ],
  },
  { sql: `SELECT stddev(v), stddev_samp(v) FROM line WHERE ts = ${base}`, rows: [[0, null]] },
  {
    sql: 'SELECT stddev(1700000000000 + v), var_samp(1e12 + v), covar_pop(1e12 + v, v), corr(1e12 + v, v) FROM line',
    rows: [[0.816496580927726, 1, 2 / 3, 1]],
  },
  {
    sql: 'SELECT sum(v), sum(f), sum(u), sum(d) FROM one',
    rows: [[7, 9, 29, '13.50']],
    meta: [
      ['sum(v)', 'BIGINT', 8],
      ['sum(f)', 'DOUBLE', 8],
      ['sum(u)', 'BIGINT UNSIGNED', 8],
      ['sum(d)', 'DECIMAL(38,2)', 16],
    ],
  },
  {
    sql: 'SELECT count(*), count(v), count(1), sum(v), avg(v), min(v), first(v), last_row(v) FROM nulls',
    rows: [[2, 0, 2, null, null, null, null, null]],
  },
  {
    sql: 'SELECT leastsquares(v, 1, 1) FROM line',
    rows: [['{slop:1.000000, intercept:0.000000}']],
    meta: [['leastsquares(v, 1, 1)', 'VARCHAR', 64]],
  },
  { sql: 'SELECT leastsquares(v, 1, 1) FROM one', rows: [['{slop:0.100000, intercept:1.500000}']] },
  { sql: 'SELECT leastsquares(v, 0, 10) FROM line', rows: [['{slop:0.100000, intercept:1.000000}']] },
  { sql: `SELECT leastsquares(v, 1, 1) FROM line WHERE ts = ${base}`, rows: [['{slop:-nan, intercept:-nan}']] },
  { sql: 'SELECT leastsquares(v, 1, 1) FROM nulls', rows: [[null]] },
  { sql: 'SELECT leastsquares(v, 1, 1) FROM empty', rows: [] },
  {
    sql: 'SELECT tbname, leastsquares(v, 1, 1) FROM st PARTITION BY tbname',
    rows: [
      ['a', '{slop:1.500000, intercept:-0.666667}'],
      ['b', '{slop:-1.000000, intercept:10.333333}'],
    ],
  },
  {
    sql: 'SELECT _wstart, leastsquares(v, 1, 1) FROM one INTERVAL(4s)',
    rows: [
      [at(0), '{slop:1.000000, intercept:0.000000}'],
      [at(4), '{slop:-2.000000, intercept:5.000000}'],
    ],
  },
  {
    sql: 'SELECT round(corr(v, u), 4), round(covar_pop(v, u), 4), round(covar_samp(v, u), 4) FROM one',
    rows: [[-0.6288, -1.1875, -1.5833]],
  },
  { sql: 'SELECT corr(v, v) FROM nulls', rows: [[null]] },
  { sql: "SELECT group_concat(n, ',') FROM one", rows: [['a,b,a,c,b']] },
  {
    sql: "SELECT group_concat(n, '=', n, '; ') AS x FROM one WHERE v < 3",
    rows: [['a=a; b=b; b=b']],
    meta: [['x', 'VARCHAR', 65517]],
  },
  { sql: "SELECT group_concat(n, ',') FROM nulls", rows: [[null]] },
  { sql: 'SELECT avg(abs(v)), round(avg(v), 1) FROM one', rows: [[1.75, 1.8]] },
  // 2^63 and 2^64: a mean is as exact as a DOUBLE can be, also where the sum goes beyond 64 bits.
  { sql: 'SELECT avg(l) = 9223372036854775808, avg(u) = 1.8446744073709552e19 FROM wide', rows: [[true, true]] },
]);

statements('selections pick one row of a group', service, 's', [
  { sql: 'SELECT first(v), last(v), last_row(n) FROM one', rows: [[1, 1, 'b']] },
  { sql: 'SELECT max(v), ts, n FROM one', rows: [[3, at(5), 'c']] },
  {
    sql: 'SELECT tbname, max(v), ts FROM st PARTITION BY tbname',
    rows: [
      ['a', 4, at(2)],
      ['b', 10, at(0)],
    ],
  },
  { sql: 'SELECT last(v), tbname FROM st', rows: [[8, 'b']] },
  {
    sql: 'SELECT last(*) FROM line',
    rows: [[at(2), 3]],
    meta: [
      ['last(ts)', 'TIMESTAMP', 8],
      ['last(v)', 'INT', 4],
    ],
  },
  { sql: 'SELECT last_row(*) FROM nulls', rows: [[at(1), null, null]] },
  { sql: 'SELECT min(n), max(n), max(ts) FROM one', rows: [['a', 'c', at(6)]] },
  { sql: 'SELECT last(g) FROM st', rows: [[2]] },
  { sql: 'SELECT first(v), v FROM nulls', rows: [[null, null]] },
  { sql: 'SELECT max(v), min(v), ts FROM one', error: 0x260c },
  { sql: 'SELECT v, sum(v) FROM one', error: 0x260c },
  { sql: 'SELECT mode(v), v FROM one WHERE u > 4 OR v > 1', rows: [[1, 1]] },
  {
    sql: 'SELECT tbname, g, mode(v % 3) m, v % 3 FROM st PARTITION BY tbname',
    rows: [
      ['a', 1, 1, 1],
      ['b', 2, 1, 1],
    ],
  },
  { sql: 'SELECT mode(v), ts FROM one INTERVAL(4s)', error: 0x260c },
  { sql: 'SELECT v, sum(v) FROM one GROUP BY n', error: 0x260a },
  { sql: 'SELECT sum(max(v)) FROM one', error: 0x2627 },
  { sql: 'SELECT v FROM one WHERE sum(v) > 1', error: 0x2608 },
  { sql: 'SELECT sum(n) FROM one', error: 0x2802 },
  { sql: 'SELECT nosuch(v) FROM one', error: 0x264d, says: 'Invalid function name: nosuch' },
]);
