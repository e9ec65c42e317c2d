import test from 'ava';
import { httpStatus } from '../../../src/http/answer/status.js';
import { type FaultKind, fault } from '../../../src/model/fault.js';

type Row = readonly [condition: string, kind: FaultKind, code: number, plain: number, mapped: number];

const rows: readonly Row[] = [
  ['insert syntax error', 'database', 0x0216, 200, 400],
  ['line syntax error', 'syntax', 0x021b, 200, 400],
  ['syntax error', 'syntax', 0x2600, 200, 400],
  ['statement that ends early', 'syntax', 0x2601, 200, 400],
  ['timestamp out of range', 'database', 0x060b, 200, 400],
  ['value out of range', 'database', 0x0224, 200, 400],
  ['invalid fill range', 'syntax', 0x263b, 200, 400],
  ['user already exists', 'database', 0x0350, 401, 401],
  ['user does not exist', 'database', 0x0351, 401, 401],
  ['invalid user format', 'database', 0x0352, 401, 401],
  ['invalid password format', 'database', 0x0353, 401, 401],
  ['no user from connection', 'database', 0x0354, 200, 500],
  ['too many users', 'database', 0x0355, 401, 401],
  ['invalid alter operation', 'database', 0x0356, 401, 401],
  ['authentication failure', 'auth', 0x0357, 401, 401],
  ['no authorization', 'auth', 0x1105, 401, 401],
  ['network unavailable by code', 'database', 0x000b, 200, 502],
  ['network unavailable by kind', 'network', 0xffff, 200, 502],
  ['URL parameter error', 'parameter', 0xffff, 400, 400],
  ['empty request', 'parameter', 0x1106, 400, 400],
  ['insufficient resources', 'resource', 0xffff, 503, 503],
  ['missing table found by the parser', 'syntax', 0x2603, 200, 500],
  ['missing database', 'database', 0x0388, 200, 500],
  ['database not specified', 'syntax', 0x2616, 200, 500],
  ['failure without a database code', 'database', 0xffff, 200, 500],
];

for (const [condition, kind, code, plain, mapped] of rows) {
  test(`${condition} is ${plain}, with httpCodeServerError ${mapped}`, (t) => {
    t.is(httpStatus(fault(kind, code, ''), false), plain);
    t.is(httpStatus(fault(kind, code, ''), true), mapped);
  });
}
