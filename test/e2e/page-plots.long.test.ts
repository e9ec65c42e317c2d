import test from 'ava';
import type { Page } from 'playwright-core';
import { type } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';
import { type DrawnPlot, plotOf } from '../support/page/plots.js';

/** What plots show of rows, read from what is drawn. */
const { inBrowser, service, logInAndSee } = await pageWorld(test);

/** Writes lines of line protocol with times in seconds. */
async function write(db: string, lines: readonly string[]): Promise<void> {
  const { status, text } = await service().write(lines.join('\n'), { db, precision: 's' });
  if (status !== 204) throw new Error(text);
}

/** Runs a statement in the query view, and returns what its plot shows. */
async function queried(page: Page, statement: string, isRight?: (plot: DrawnPlot) => boolean): Promise<DrawnPlot> {
  await type(page, statement);
  await page.evaluate('keptPlots.splice(0)');
  await page.keyboard.press('Control+Enter');
  return plotOf(page, isRight);
}

/** What a plot shows, as differences in seconds from a time. */
function since(begin: number, { from, to, lines }: DrawnPlot) {
  const seconds = (time: number): number => Math.round(time - begin);
  return {
    ends: [seconds(from), seconds(to)],
    lines: lines.map(({ label, points, gaps, marked }) => ({
      label,
      points: points.length,
      gaps: gaps.filter(([first, last]) => first > from && last < to).map((gap) => gap.map(seconds)),
      marked: marked.map(seconds),
    })),
  };
}

const chosenRange = 'BETWEEN $from AND $to';

inBrowser('the axis of times is the chosen range, and lines break where values are missing', async (t) => {
  // A row a minute for an hour that ended half an hour ago, without the 20 minutes in its middle.
  const begin = Math.floor(Date.now() / 60_000) * 60 - 5400;
  const minutes = Array.from({ length: 60 }, (_, at) => at).filter((at) => at < 20 || at >= 40);
  await write('holes', [
    ...minutes.map((at) => `agent,host=a load=${at % 7} ${begin + at * 60}`),
    ...Array.from({ length: 60 }, (_, at) => `agent,host=b load=9 ${begin + at * 60}`),
    `agent,host=c load=5 ${begin + 1800}`,
  ]);
  const { page, wrong } = await logInAndSee(t, '/#query?range=21600000&db=holes');
  const isNear = (seconds: number, expected: number, tolerance: number): boolean =>
    Math.abs(seconds - expected) <= tolerance;
  const hole = (gaps: readonly (readonly number[])[] | undefined): boolean => {
    const [[first = 0, last = 0] = []] = gaps ?? [];
    return gaps?.length === 1 && isNear(first, 19 * 60, 20) && isNear(last, 40 * 60, 20);
  };
  for (const statement of [
    `SELECT _ts, host, load FROM agent WHERE _ts ${chosenRange}`,
    `SELECT _wstart, host, AVG(load) FROM agent WHERE _ts ${chosenRange} PARTITION BY host INTERVAL(1m)`,
    `SELECT _wstart, host, AVG(load) FROM agent WHERE _ts ${chosenRange} PARTITION BY host INTERVAL(5s)`,
    `SELECT _wstart, host, AVG(load) FROM agent WHERE _ts ${chosenRange} PARTITION BY host INTERVAL(1m) FILL(NULL)`,
  ]) {
    const { ends, lines } = since(begin, await queried(page, statement));
    t.true(isNear(Number(ends[0]), 5400 - 21_600, 120) && isNear(Number(ends[1]), 5400, 120), `${ends}`);
    t.deepEqual(
      lines.map(({ label }) => label),
      ['a', 'b', 'c'],
    );
    const [a, b, c] = lines;
    t.is(a?.points, 40, statement);
    t.true(hole(a?.gaps), `${statement}: ${JSON.stringify(a)}`);
    t.deepEqual([b?.points, b?.gaps], [60, []], statement);
    t.deepEqual(c?.marked, [1800], `the single value has a mark: ${statement}`);
  }

  // NULL leaves a gap, and a window that is missing does, too.
  const values = '(1700000000000, 1) (1700000001000, 2) (1700000002000, NULL) (1700000003000, 4) (1700000004000, 5)';
  await service().run('CREATE DATABASE plain');
  await service().run('CREATE TABLE plain.nulls (ts TIMESTAMP, v INT)');
  await service().run(`INSERT INTO plain.nulls VALUES ${values} (1700000006000, 6) (1700000007000, 7)`);
  const nulls = since(1_700_000_000, await queried(page, 'SELECT ts, v FROM plain.nulls'));
  t.deepEqual(nulls.ends, [0, 7], 'a statement without the range shows its rows');
  t.deepEqual(nulls.lines[0]?.gaps, [[1, 3]]);
  const windows = await queried(page, 'SELECT _wstart, COUNT(*) FROM plain.nulls INTERVAL(1s)');
  t.deepEqual(since(1_700_000_000, windows).lines[0]?.gaps, [[4, 6]]);
  t.deepEqual(wrong, []);
});

inBrowser('every row of a time that comes more than once is drawn, as a point', async (t) => {
  const begin = Math.floor(Date.now() / 1000) - 3000;
  const minutes = Array.from({ length: 45 }, (_, at) => at * 60);
  await write(
    'equal',
    minutes.flatMap((at) => ['a', 'b'].map((agent) => `air,site=oslo,agent=${agent} temp=${at}.5 ${begin + at}`)),
  );
  const { page, wrong } = await logInAndSee(t, '/#query?range=21600000&db=equal');
  const where = `WHERE site='oslo' AND _rowts ${chosenRange}`;
  const { lines } = since(begin, await queried(page, `SELECT _ts, temp FROM air ${where}`));
  const twice = minutes.flatMap((at) => [at, at]);
  t.deepEqual(lines, [{ label: 'temp', points: 90, gaps: [], marked: twice }]);
  const one = await queried(page, `SELECT _ts, temp FROM air ${where} AND temp < 1`);
  t.is(one.lines[0]?.points.length, 2, 'two rows of one time alone');

  const state = { database: 'equal', table: 'air', column: 'temp', of: '', groups: [], filters: [] };
  await page.evaluate('keptPlots.splice(0)');
  await page.goto(`${new URL(page.url()).origin}/#explore?${new URLSearchParams({ state: JSON.stringify(state) })}`);
  const raw = since(begin, await plotOf(page, (plot) => plot.lines[0]?.points.length === 90));
  t.deepEqual(raw.lines[0]?.marked, twice);
  await page.waitForSelector('text=Some times come more than once on a line, which is drawn as points');
  t.deepEqual(wrong, []);
});

inBrowser('counts and sums of Explore are of whole windows at both ends of the range', async (t) => {
  const begin = Math.floor(Date.now() / 60_000) * 60 - 1200;
  await write(
    'seconds',
    Array.from({ length: 700 }, (_, at) => `ticks v=2 ${begin + at}`),
  );
  const { page, wrong } = await logInAndSee(t);
  const range = [7, 600].map((at) => new Date((begin + at) * 1000).toISOString()).join(',');
  for (const [of, expected] of Object.entries({ COUNT: 5, SUM: 10 })) {
    const state = { database: 'seconds', table: 'ticks', column: 'v', of, range, groups: [], filters: [] };
    await page.evaluate('keptPlots.splice(0)');
    await page.goto(`${new URL(page.url()).origin}/#explore?${new URLSearchParams({ state: JSON.stringify(state) })}`);
    const { lines } = await plotOf(page, (plot) => plot.lines[0]?.label.toUpperCase().startsWith(of) === true);
    // Windows of 5 seconds, from 10 to 600.
    t.deepEqual(
      lines[0]?.points,
      Array.from({ length: 118 }, (_, at) => [begin + 10 + at * 5, expected]),
    );
  }
  t.deepEqual(wrong, []);
});

inBrowser('Explore shows that a table gets no rows any more', async (t) => {
  const begin = Math.floor(Date.now() / 1000) - 3000;
  await write(
    'silent',
    Array.from({ length: 60 }, (_, at) => `agent load=${at % 7} ${begin + at * 20}`),
  );
  const { page, wrong } = await logInAndSee(t, '/#explore?state=%7B%22database%22%3A%22silent%22%7D');
  const { ends, lines } = since(begin, await plotOf(page));
  t.true(Number(ends[1]) >= 3000 && Number(ends[0]) <= -500, `the last hour: ${ends}`);
  t.deepEqual(
    lines.map(({ gaps }) => gaps),
    [[]],
  );
  t.deepEqual(wrong, []);
});

for (const [change, first, hours, offsets] of [
  ['begins', '2026-03-28', [24, 23, 24], ['+01:00', '+01:00', '+02:00']],
  ['ends', '2026-10-24', [24, 25, 24], ['+02:00', '+02:00', '+01:00']],
] as const) {
  inBrowser(`days, literals and axes are in the zone that is shown, also when summer time ${change}`, async (t) => {
    const day = 86_400;
    const begin = Date.parse(`${first}T00:00:00Z`) / 1000;
    const db = `summer_${change}`;
    await write(
      db,
      Array.from({ length: 5 * 24 }, (_, at) => `hourly v=1 ${begin - day + at * 3600}`),
    );
    const { page, wrong } = await logInAndSee(t, `/#query?db=${db}`);
    await page.waitForSelector('text=Times in Europe/Oslo');
    const dates = [0, 1, 2, 3].map((days) => new Date((begin + days * day) * 1000).toISOString().slice(0, 10));
    const where = `WHERE _ts >= '${dates[0]} 00:00:00' AND _ts < '${dates[3]} 00:00:00'`;
    const midnights = dates.slice(0, 3).map((date, at) => `${date}T00:00:00${offsets[at]}`);
    const { lines, marks } = await queried(page, `SELECT _wstart, COUNT(*) FROM hourly ${where} INTERVAL(1d)`);
    t.deepEqual(
      lines[0]?.points,
      midnights.map((time, at) => [Date.parse(time) / 1000, hours[at]]),
    );
    t.deepEqual(lines[0]?.gaps, []);
    t.true(
      dates.slice(0, 3).every((date) => marks[0]?.some((words) => words.includes(`00:00\n${date}`))),
      `${marks[0]}`,
    );
    t.deepEqual(await page.locator('.rows tbody td:not(.number)').allInnerTexts(), midnights.map(withFraction));

    // A literal of the evening before is that of the clock on the wall.
    await queried(page, `SELECT _ts, v FROM hourly WHERE _ts >= '${dates[0]} 22:00:00' LIMIT 2`);
    t.deepEqual(
      await page.locator('.rows tbody td:not(.number)').allInnerTexts(),
      [`${dates[0]}T22:00:00${offsets[0]}`, `${dates[0]}T23:00:00${offsets[0]}`].map(withFraction),
    );
    t.deepEqual(wrong, []);
  });
}

function withFraction(time: string): string {
  return time.replace(/(?=[+]\d)/, '.000');
}

inBrowser('a link to the hour that comes twice keeps its range', async (t) => {
  await write(
    'twice',
    [0, 1, 2, 3].map((hour) => `hourly v=${hour} ${Date.parse('2026-10-25T00:00:00Z') / 1000 + hour * 3600}`),
  );
  const q = 'SELECT v FROM hourly WHERE _ts BETWEEN $from AND $to';
  const range = '2026-10-25T01:30:00.000Z,2026-10-25T02:30:00.000Z';
  const { page } = await logInAndSee(t, `/#query?${new URLSearchParams({ q, db: 'twice', range })}`);
  await page.waitForSelector('.rows tbody tr');
  t.deepEqual(await page.locator('.rows tbody td').allInnerTexts(), ['2']);
  t.is(await page.inputValue('#range-from'), '2026-10-25T02:30');
});
