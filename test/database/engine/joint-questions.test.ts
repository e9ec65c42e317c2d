import test from 'ava';
import {
  type JointAnswer,
  type JointQuestion,
  JointQuestions,
  mostTogether,
} from '../../../src/database/engine/joint-questions.js';
import { ResultPlaces } from '../../../src/database/engine/result-places.js';

const idsIn = (statement: string): string[] => /IN \(([\d, ]+)\)/.exec(statement)?.[1]?.split(', ') ?? [];

function question(id: number, others: Partial<JointQuestion> = {}): JointQuestion {
  const head = 'SELECT max(t1.v) AS r1 FROM d.t AS t1 FINAL';
  return {
    head,
    idColumn: 't1.id',
    id: String(id),
    terms: ['t1.ts < 5'],
    givesNoneForEmpty: false,
    tail: '',
    ...others,
  };
}

/** One place, which is taken; series 0 has no rows. Statements are noted, and fail when told to. */
async function busy() {
  const places = new ResultPlaces(1);
  const place = await places.take(undefined, undefined);
  const statements: string[][] = [];
  const state = { fails: false };
  const joint = new JointQuestions(places, async (statement) => {
    const ids = idsIn(statement);
    statements.push(ids);
    if (state.fails) throw new Error('refused');
    return [Buffer.from(ids.flatMap((id) => (id === '0' ? [] : [`[${id},${Number(id) * 2}]\n`])).join(''))];
  });
  const ask = async (asked: JointQuestion, signal?: AbortSignal): Promise<string | undefined> => {
    const answer: JointAnswer = await joint.ask(asked, { signal });
    if (!('rows' in answer)) {
      answer.place?.release();
      return undefined;
    }
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.rows) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  return { places, place, statements, state, joint, ask };
}

test('where a place is free, a question is asked by itself', async (t) => {
  const { place, joint, statements } = await busy();
  place.release();
  t.deepEqual(await joint.ask(question(1), {}), {});
  t.deepEqual(statements, []);
});

test('those that wait are asked together, and one that waits alone gets the place', async (t) => {
  const { places, place, joint, ask, statements } = await busy();
  const waits: number[] = [];
  const others = [ask(question(1)), ask(question(2))];
  const single = joint.ask(question(3, { head: 'SELECT min(t1.v) AS r1 FROM d.t AS t1' }), {
    waited: (ms) => waits.push(ms),
  });
  place.release();
  t.deepEqual(await Promise.all(others), ['[2]\n', '[4]\n']);
  const alone = await single;
  t.deepEqual(statements, [['1', '2']]);
  t.is(waits.length, 1);
  t.false(places.isFree(undefined), 'it has the place');
  if ('place' in alone) alone.place?.release();
  t.true(places.isFree(undefined));
});

test('a statement asks for at most so many series, and for each of them once', async (t) => {
  const { place, ask, statements } = await busy();
  // The second request for series 1 begins a statement of its own, which the later series join until it is full.
  const numbers = [1, 1, ...Array.from({ length: mostTogether + 1 }, (_, at) => at + 2)];
  const answers = numbers.map((id) => ask(question(id)));
  place.release();
  const results = await Promise.all(answers);
  const joined = ['1', ...Array.from({ length: mostTogether - 1 }, (_, at) => `${at + 2}`)];
  const rest = [`${mostTogether + 1}`, `${mostTogether + 2}`];
  t.deepEqual(statements, [joined, rest]);
  // The first request is alone in its statement, so it runs by itself.
  t.deepEqual(results, [undefined, ...numbers.slice(1).map((id) => `[${id * 2}]\n`)]);
});

test('a series without rows is asked by itself where that gives a row', async (t) => {
  const { place, ask } = await busy();
  const none = { givesNoneForEmpty: true, tail: ' SETTINGS x = 1' };
  const answers = [question(0), question(1), question(0, none), question(1, none)].map((asked) => ask(asked));
  place.release();
  t.deepEqual(await Promise.all(answers), [undefined, '[2]\n', '', '[2]\n']);
});

test('who leaves is answered at once and changes nothing for others', async (t) => {
  const { places, place, ask, statements } = await busy();
  const leaving = new AbortController();
  const [left, stayed] = [ask(question(1), leaving.signal), ask(question(2))];
  const third = ask(question(3));
  const alone = ask(question(9, { tail: ' SETTINGS x = 1' }), leaving.signal);
  leaving.abort(new Error('gone'));
  await t.throwsAsync(left, { message: 'gone' });
  await t.throwsAsync(alone, { message: 'gone' });
  await t.throwsAsync(ask(question(4), leaving.signal), { message: 'gone' });
  place.release();
  t.deepEqual(await Promise.all([stayed, third]), ['[4]\n', '[6]\n']);
  t.deepEqual(statements, [['2', '3']]);
  t.true(places.isFree(undefined));
});

test('when the statement fails, each is asked by itself', async (t) => {
  const { places, place, ask, state } = await busy();
  state.fails = true;
  const answers = [ask(question(1)), ask(question(2))];
  place.release();
  t.deepEqual(await Promise.all(answers), [undefined, undefined]);
  t.true(places.isFree(undefined));
});
