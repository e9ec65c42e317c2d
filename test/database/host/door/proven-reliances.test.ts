import test from 'ava';
import fc from 'fast-check';
import { ProvenReliances } from '../../../../src/database/host/door/proven-reliances.js';
import { nothingAfter } from '../../../../src/sql/engine/storage.js';

const conditionOf = (insert: number, storage = 'd3_0.t4_0'): string => nothingAfter(insert, storage, 't1');
const statementOf = (insert: number): string => `SELECT count() FROM d3_0.t4_0 AS t1 WHERE ${conditionOf(insert)}`;

test('a condition on newer rows is left out once it was found to hold, until rows may have come', async (t) => {
  const reliances = new ProvenReliances();
  const asked: string[] = [];
  const ask = async (statement: string): Promise<Buffer> => {
    asked.push(statement);
    return Buffer.from('7');
  };
  const runsOf = async (statement: string): Promise<readonly string[]> => {
    asked.length = 0;
    t.is(String(await reliances.answer(statement, ask)), '7');
    return [...asked];
  };
  const without = 'SELECT count() FROM d3_0.t4_0 AS t1 WHERE 1';
  t.deepEqual(await runsOf(statementOf(4)), [statementOf(4)]);
  t.deepEqual(await runsOf(statementOf(4)), [without]);
  t.deepEqual(await runsOf(statementOf(5)), [without]);
  t.deepEqual(await runsOf(statementOf(3)), [statementOf(3)], 'less was found');
  const both = `SELECT 1 WHERE and(${conditionOf(4)}, ${conditionOf(1, 'd3_0.t5_0')})`;
  t.deepEqual(await runsOf(both), [both]);
  t.deepEqual(await runsOf(both), ['SELECT 1 WHERE and(1, 1)']);

  reliances.begin('SYSTEM STOP MERGES', undefined)();
  t.deepEqual(await runsOf(both), ['SELECT 1 WHERE and(1, 1)']);
  const end = reliances.begin('INSERT INTO d3_0.t5_0', 't5_0');
  t.deepEqual(await runsOf(both), [both]);
  t.deepEqual(await runsOf(both), [both], 'nothing is found while rows come');
  t.deepEqual(await runsOf(statementOf(4)), [without]);
  end();
  t.deepEqual(await runsOf(both), [both]);
  t.deepEqual(await runsOf(both), ['SELECT 1 WHERE and(1, 1)']);
  reliances.begin('ALTER TABLE d3_0.t4_0 ATTACH PART p', undefined)();
  t.deepEqual(await runsOf(statementOf(4)), [statementOf(4)]);
});

test('what fails, or is broken off, shows nothing', async (t) => {
  const reliances = new ProvenReliances();
  const newer = reliances.answer(statementOf(4), async () => Promise.reject(new Error('stored meanwhile')));
  await t.throwsAsync(newer, { message: 'stored meanwhile' });
  const asked: string[] = [];
  const brokenOff = async (statement: string): Promise<undefined> => void asked.push(statement);
  for (let i = 0; i < 2; i++) t.is(await reliances.answer(statementOf(4), brokenOff), undefined);
  t.deepEqual(asked, [statementOf(4), statementOf(4)]);
});

test('no answer is of a state with newer rows than its statement relies on', async (t) => {
  const step = fc.record({
    kind: fc.constantFrom('ask', 'ask', 'insert', 'attach'),
    first: fc.nat(4),
    second: fc.nat(4),
    ahead: fc.nat(1),
  });
  const turns = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await Promise.resolve();
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(6)), { maxLength: 30 }), async (steps) => {
      const reliances = new ProvenReliances();
      let stored = 0;
      const under: Promise<unknown>[] = [];
      for (const [{ kind, first, second, ahead }, pause] of steps) {
        if (kind === 'ask') {
          const insert = stored + ahead;
          const read = reliances.answer(statementOf(insert), async (statement) => {
            await turns(first);
            const seen = stored;
            await turns(second);
            if (statement === statementOf(insert) && seen > insert) throw new Error('stored meanwhile');
            return Buffer.from(String(seen));
          });
          under.push(read.then((bytes) => t.true(Number(String(bytes)) <= insert)).catch(() => undefined));
        } else {
          const end = reliances.begin(`${kind} d3_0.t4_0`, kind === 'insert' ? 't4_0' : undefined);
          under.push(
            turns(first)
              .then(() => void stored++)
              .then(() => turns(second))
              .then(end),
          );
        }
        await turns(pause);
      }
      await Promise.all(under);
    }),
  );
});
