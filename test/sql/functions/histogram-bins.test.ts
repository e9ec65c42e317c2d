import test from 'ava';
import { histogramBins, shortNumber } from '../../../src/sql/functions/histogram-bins.js';

test('edges are given or generated, with open ends where asked for', (t) => {
  const edges = (type: string, text: string): readonly number[] | undefined => histogramBins(type, text)?.edges;
  t.deepEqual(edges('user_input', '[1, 3, 5.5]'), [1, 3, 5.5]);
  t.deepEqual(edges('linear_bin', '{"start":0,"width":5,"count":3,"infinity":false}'), [0, 5, 10, 15]);
  t.deepEqual(edges('linear_bin', '{"start":0,"width":5,"count":3,"infinity":true}'), [-Infinity, 0, 5, 10, Infinity]);
  t.deepEqual(edges('linear_bin', '{"start":0,"width":-5,"count":2,"infinity":false}'), [-10, -5, 0]);
  t.deepEqual(edges('log_bin', '{"start":1,"factor":2,"count":3,"infinity":false}'), [1, 2, 4, 8]);
  t.deepEqual(edges('log_bin', '{"start":1,"factor":0.5,"count":2,"infinity":false}'), [0.25, 0.5, 1]);
});

test('descriptions that make no sense are refused', (t) => {
  for (const [type, text] of [
    ['user_input', '[]'],
    ['user_input', '[1]'],
    ['user_input', '[1, 1]'],
    ['user_input', '[2, 1]'],
    ['user_input', '["a", 1]'],
    ['user_input', '{'],
    ['linear_bin', '[1, 2]'],
    ['linear_bin', '{"start":0,"width":0,"count":3,"infinity":false}'],
    ['linear_bin', '{"start":0,"width":1,"count":0,"infinity":false}'],
    ['linear_bin', '{"start":0,"width":1,"count":1001,"infinity":false}'],
    ['linear_bin', '{"start":0,"width":1,"count":2}'],
    ['log_bin', '{"start":0,"factor":2,"count":3,"infinity":false}'],
    ['log_bin', '{"start":1,"factor":1,"count":3,"infinity":false}'],
    ['log_bin', '{"start":1,"factor":10,"count":1000,"infinity":false}'],
    ['other', '[1, 2]'],
  ] as const) {
    t.is(histogramBins(type, text), undefined, `${type} ${text}`);
  }
});

test('bounds are printed with six significant digits', (t) => {
  const printed = [0, 1, -2.5, 123456, 1234567, 0.0001, 0.00001, 1 / 3, 1e21, Infinity, -Infinity].map(shortNumber);
  t.deepEqual(printed, [
    '0',
    '1',
    '-2.5',
    '123456',
    '1.23457e+06',
    '0.0001',
    '1e-05',
    '0.333333',
    '1e+21',
    'inf',
    '-inf',
  ]);
});
