import test from 'ava';
import { isQuery } from '../../../src/http/request/statement-text.js';

test('a query is known by its first word, behind comments and brackets, in linear time', (t) => {
  const comments = '/**/ -- x\n(/*(*/'.repeat(200);
  for (const word of ['select', 'SHOW', 'Desc', 'describe', 'EXPLAIN']) {
    t.true(isQuery(Buffer.from(`${word} 1`)), word);
    t.true(isQuery(Buffer.from(`${comments}${word}(1)`)), word);
    t.false(isQuery(Buffer.from(`${word}s 1`)), word);
    t.false(isQuery(Buffer.from(`${comments}x ${word}`)), word);
    t.false(isQuery(Buffer.from(`/* ${word}`)), word);
    t.false(isQuery(Buffer.from(`-- ${word}`)), word);
  }
});
