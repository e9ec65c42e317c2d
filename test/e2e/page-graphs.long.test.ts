import test from 'ava';
import type { Page } from 'playwright-core';
import { isOpenToAll, type } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';
import { type DrawnPlot, plotOf } from '../support/page/plots.js';

/** Types of graphs, axes and legends, read from what is drawn. */
const { inBrowser, service, logInAndSee } = await pageWorld(test);

const begin = 1_700_000_000;

/** Makes tables and rows, and shows the query view. */
async function prepared(t: Parameters<typeof logInAndSee>[0], ...statements: readonly string[]) {
  await service().run('CREATE DATABASE IF NOT EXISTS graphs');
  for (const statement of statements) await service().run(statement);
  return logInAndSee(t, '/#query?db=graphs&range=all');
}

/** Runs a statement in the query view, and returns what its plot shows. */
async function queried(page: Page, statement: string): Promise<DrawnPlot> {
  await type(page, statement);
  await page.evaluate('keptPlots.splice(0)');
  await page.keyboard.press('Control+Enter');
  return plotOf(page);
}

/** Chooses in the menu of a plot, and returns what it shows then. */
async function chosen(page: Page, label: string, value: string): Promise<DrawnPlot> {
  await page.evaluate('keptPlots.splice(0)');
  await page.getByLabel(label, { exact: true }).selectOption({ label: value });
  return plotOf(page);
}

/** Rows of a table, a second apart; the values as SQL. */
function rows(values: readonly (readonly unknown[])[]): string {
  return values.map((row, at) => `(${(begin + at) * 1000}, ${row.join(', ')})`).join(' ');
}

const valuesOf = ({ lines }: DrawnPlot, place = 0): number[] => (lines[place]?.points ?? []).map(([, value]) => value);
const labelsOf = ({ lines }: DrawnPlot): string[] => lines.map(({ label }) => label);
const round = (value: number | undefined): number => Math.round((value ?? Number.NaN) * 100) / 100;

inBrowser('columns of one name are two lines, named as row_with_meta names them', async (t) => {
  const { page, wrong } = await prepared(
    t,
    'CREATE TABLE graphs.days (ts TIMESTAMP, t INT)',
    `INSERT INTO graphs.days VALUES ${rows([[1], [2], [3]])}`,
  );
  const statement =
    'SELECT a.ts, a.t, b.t FROM (SELECT ts, t FROM days) a JOIN (SELECT ts, t * 10 AS t FROM days) b ON a.ts = b.ts';
  const plot = await queried(page, statement);
  const path = '/rest/sql/graphs?row_with_meta=true';
  const { text } = await service().request({ method: 'POST', path, body: statement });
  const [, ...names] = Object.keys(JSON.parse(text).data[0]);
  t.deepEqual(labelsOf(plot), names);
  t.deepEqual(
    [valuesOf(plot, 0), valuesOf(plot, 1)],
    [
      [1, 2, 3],
      [10, 20, 30],
    ],
  );
  t.notRegex((await page.textContent('.picture')) ?? '', /more than once/);
  t.deepEqual(wrong, []);
});

inBrowser('rows that are parted by a tag which is not selected are points, with advice', async (t) => {
  const { page } = await prepared(
    t,
    'CREATE STABLE graphs.air (ts TIMESTAMP, temp INT) TAGS (site NCHAR(10))',
    `INSERT INTO graphs.a USING graphs.air TAGS ('a') VALUES ${rows([[1], [2], [3]])}`,
    `INSERT INTO graphs.b USING graphs.air TAGS ('b') VALUES ${rows([[50], [60], [70]])}`,
  );
  const mixed = await queried(page, 'SELECT _rowts, MAVG(temp, 1) FROM air PARTITION BY site');
  t.deepEqual(mixed.lines[0]?.path, []);
  t.is(mixed.lines[0]?.marked.length, 6, 'both rows of each time');
  await page.waitForSelector('.picture >> text=The statement has PARTITION BY site and does not select site');
  const told = await queried(page, 'SELECT _rowts, site, MAVG(temp, 1) FROM air PARTITION BY site');
  t.deepEqual(labelsOf(told), ['a', 'b']);
  t.deepEqual(
    [valuesOf(told, 0), valuesOf(told, 1)],
    [
      [1, 2, 3],
      [50, 60, 70],
    ],
  );
  t.true((told.lines[0]?.path.length ?? 0) > 2);
  t.notRegex((await page.textContent('.picture')) ?? '', /PARTITION BY/);
});

inBrowser('truth values are steps, and numbers beside them keep their axis', async (t) => {
  const { page } = await prepared(
    t,
    'CREATE TABLE graphs.pumps (ts TIMESTAMP, `on` BOOL, flow INT)',
    `INSERT INTO graphs.pumps VALUES ${rows([
      [true, 5],
      [false, 50],
      ['NULL', 20],
      [true, 7],
    ])}`,
  );
  const alone = await queried(page, 'SELECT ts, `on` FROM pumps');
  t.deepEqual([labelsOf(alone), valuesOf(alone)], [['on'], [1, 0, 1]]);
  t.deepEqual(alone.marks[1], ['false', 'true']);
  t.deepEqual(alone.lines[0]?.words, ['true', 'false', 'true']);
  // A step goes on at its height, then to the next: never aslant.
  const path = (alone.lines[0]?.path ?? []).map(([time, value]) => [round(time - begin), round(value)]);
  for (const [at, [time, value]] of path.entries()) {
    const [before, height] = path[at - 1] ?? [time, value];
    t.true(before === time || Math.abs((height ?? 0) - (value ?? 0)) < 0.05, JSON.stringify(path));
  }
  t.is(alone.lines[0]?.gaps.length, 1);
  const both = await queried(page, 'SELECT ts, `on`, flow FROM pumps');
  t.deepEqual(
    both.lines.map(({ label, scale }) => [label, scale]),
    [
      ['flow', 'y'],
      ['on', 'truth'],
    ],
  );
});

inBrowser('axes: a second one for other sizes or units, prefixes of the SI, and a logarithmic scale', async (t) => {
  const { page, wrong } = await prepared(
    t,
    'CREATE TABLE graphs.mixed (ts TIMESTAMP, big BIGINT, hum INT, temp DOUBLE, used_bytes BIGINT)',
    `INSERT INTO graphs.mixed VALUES ${rows([
      ['9000000000000001', 50, 20.5, 1 << 30],
      ['1000000000000001', 60, 0, 2 ** 31],
      ['5000000000000001', 70, 10.25, 2 ** 31],
    ])}`,
  );
  const scales = ({ lines }: DrawnPlot) => Object.fromEntries(lines.map(({ label, scale }) => [label, scale]));
  const automatic = await queried(page, 'SELECT ts, temp, hum, big FROM mixed');
  t.deepEqual(scales(automatic), { temp: 'y', hum: 'y', 'big (right)': 'right' });
  t.is(automatic.marks.length, 3);
  t.true(
    automatic.marks[2]?.some((words) => /^\dP$/.test(words)),
    `${automatic.marks[2]}`,
  );
  t.false(automatic.marks.flat().some((words) => /T$/.test(words)));
  t.deepEqual(scales(await chosen(page, 'Axes of values', 'One')), { temp: 'y', hum: 'y', big: 'y' });
  t.deepEqual(scales(await chosen(page, 'Axes of values', 'Two')), {
    temp: 'y',
    'hum (right)': 'right',
    'big (right)': 'right',
  });

  const log = await chosen(page, 'Scale', 'Logarithmic');
  const temp = log.lines.find(({ label }) => label === 'temp');
  t.deepEqual([temp?.isLog, temp?.points.map(([, value]) => value)], [true, [20.5, 10.25]]);
  await page.waitForSelector('.picture >> text=Values of 0 and less have no place on a logarithmic axis');
  t.true(log.marks[2]?.includes('100T') || log.marks[2]?.includes('1P'), `${log.marks[2]}`);
  await isOpenToAll(t, page, 'graph');

  const bytes = await queried(page, 'SELECT ts, hum, used_bytes FROM mixed');
  t.deepEqual(scales(bytes), { hum: 'y', 'used_bytes (right)': 'right' });
  t.true(
    bytes.marks[2]?.some((words) => / GB$/.test(words)),
    `${bytes.marks[2]}`,
  );
  t.deepEqual(bytes.lines.find(({ label }) => label === 'used_bytes (right)')?.words, ['1.0 GB', '2.0 GB', '2.0 GB']);
  t.deepEqual(wrong, []);
});

inBrowser('metrics that Explore adds have a second axis for other sizes and units, too', async (t) => {
  const { page, wrong } = await prepared(
    t,
    'CREATE STABLE graphs.hosts (ts TIMESTAMP, hum DOUBLE, used_bytes BIGINT) TAGS (host VARCHAR(8))',
    `INSERT INTO graphs.h1 USING graphs.hosts TAGS ('a') VALUES ${rows([
      [50, 1 << 30],
      [60, 2 ** 31],
    ])}`,
    `INSERT INTO graphs.h2 USING graphs.hosts TAGS ('b') VALUES ${rows([
      [40, 1 << 29],
      [45, 2 ** 31],
    ])}`,
  );
  const choice = { database: 'graphs', table: 'hosts', of: 'MAX', filters: [] };
  const host = { name: 'host', type: 'VARCHAR(8)' };
  const added = (groups: readonly (typeof host)[]) => ({ ...choice, column: 'hum', groups });
  const range = [-60, 60].map((at) => new Date((begin + at) * 1000).toISOString()).join(',');
  const state = { ...choice, column: 'used_bytes', groups: [], range, others: [added([host]), added([])] };
  await page.evaluate('keptPlots.splice(0)');
  await page.goto(`${new URL(page.url()).origin}/#explore?${new URLSearchParams({ state: JSON.stringify(state) })}`);
  const { lines, marks } = await plotOf(page, (plot) => plot.lines.length === 4);
  t.deepEqual(
    lines.map(({ label, scale }) => [label, scale]),
    [
      ['MAX(hosts.hum)', 'y'],
      ['MAX(hosts.hum) host=a', 'y'],
      ['MAX(hosts.hum) host=b', 'y'],
      ['MAX(hosts.used_bytes) (right)', 'right'],
    ],
  );
  t.deepEqual(lines[3]?.words, ['1.0 GB', '2.0 GB']);
  t.true(
    marks[2]?.some((words) => / [GM]B$/.test(words)),
    `${marks[2]}`,
  );
  const one = await chosen(page, 'Axes of values', 'One');
  t.deepEqual(new Set(one.lines.map(({ scale }) => scale)), new Set(['y']));
  t.deepEqual(wrong, []);
});

inBrowser('bars stand side by side from 0, areas on each other, and the newest values in large', async (t) => {
  const { page, wrong } = await prepared(
    t,
    'CREATE TABLE graphs.parts (ts TIMESTAMP, a INT, b INT)',
    `INSERT INTO graphs.parts VALUES ${rows([
      [1, 10],
      [2, 20],
      ['NULL', 30],
      [4, 40],
    ])}`,
  );
  const windows = 'SELECT _wstart, MAX(a) AS a, MAX(b) AS b FROM parts INTERVAL(1s)';
  await queried(page, windows);
  const bars = await chosen(page, 'Graph', 'Bars');
  const corners = (place: number) => {
    const { path = [] } = bars.lines[place] ?? {};
    return path.map(([time, value]) => [Math.round((time - begin) * 10) / 10, Math.round(value)]);
  };
  t.deepEqual(corners(0), [
    [0, 1],
    [0.5, 0],
    [1, 2],
    [1.5, 0],
    [3, 4],
    [3.5, 0],
  ]);
  t.deepEqual(corners(1).slice(0, 2), [
    [0.5, 10],
    [0.9, 0],
  ]);
  t.true(bars.to >= begin + 4, 'the last bar is there as a whole');

  const areas = await chosen(page, 'Graph', 'Stacked areas');
  t.deepEqual(
    [valuesOf(areas, 0), valuesOf(areas, 1)],
    [
      [1, 2, 0, 4],
      [11, 22, 30, 44],
    ],
  );
  t.deepEqual(areas.lines[1]?.words, ['10', '20', '30', '40'], 'the legend says what each part is');

  await page.getByLabel('Graph', { exact: true }).selectOption({ label: 'Newest values' });
  await page.waitForSelector('.newest-values');
  t.deepEqual(await page.locator('.newest-values dd').allInnerTexts(), ['4', '40']);
  await isOpenToAll(t, page, 'newest values');

  // A refresh shows the same.
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.outcome >> text=/rows in/');
  await page.waitForSelector('.newest-values');
  t.deepEqual(wrong, []);
});

inBrowser('histograms are heat maps, of columns and of series, with the counts between bounds', async (t) => {
  const { page } = await prepared(
    t,
    'CREATE TABLE graphs.took (ts TIMESTAMP, `0.1` INT, `1` INT, `+Inf` INT)',
    `INSERT INTO graphs.took VALUES ${rows([
      [1, 5, 5],
      [0, 0, 8],
    ])}`,
    'CREATE STABLE graphs.buckets (ts TIMESTAMP, v INT) TAGS (labels JSON)',
    ...[0.1, 1, '+Inf'].map(
      (le, at) =>
        `INSERT INTO graphs.le${at} USING graphs.buckets TAGS ('${JSON.stringify({ le: String(le), job: 'web' })}') VALUES ${rows(
          [[[1, 5, 5][at]], [[0, 0, 8][at]]],
        )}`,
    ),
  );
  for (const statement of ['SELECT * FROM took', 'SELECT * FROM buckets']) {
    await queried(page, statement);
    const heat = await chosen(page, 'Graph', 'Heat map');
    t.deepEqual(heat.marks[1], ['', '0.1', '1', '+Inf'], statement);
    t.deepEqual(
      heat.lines.map((line) => [line.label, ...line.points.map(([, count]) => count)]),
      [
        ['0.1', 1, 0],
        ['1', 4, 0],
        ['+Inf', 0, 8],
      ],
    );
    const cells = heat.cells.map(([from, to, bottom, top]) => [from - begin, to - begin, bottom, top].map(Math.round));
    t.deepEqual(cells, [
      [0, 1, 0, 1],
      [0, 1, 1, 2],
      [1, 2, 2, 3],
    ]);
    const strength = heat.cells.map(([, , , , colour]) => Number(/([\d.]+)\)$/.exec(colour)?.[1] ?? 1));
    t.true(Number(strength[0]) < Number(strength[1]) && Number(strength[1]) < Number(strength[2]), `${strength}`);
  }
});

inBrowser('legends tell what differs, and numbers are as long as people read them', async (t) => {
  const { page } = await prepared(
    t,
    'CREATE STABLE graphs.cpu (ts TIMESTAMP, v DOUBLE) TAGS (labels JSON)',
    ...[0, 1].map(
      (cpu) =>
        `INSERT INTO graphs.cpu${cpu} USING graphs.cpu TAGS ('${JSON.stringify({
          __name__: 'node_cpu_seconds_total',
          cpu: String(cpu),
          instance: 'localhost:32100',
        })}') VALUES ${rows([[21.447000000000003], [13.514285714285714]])}`,
    ),
  );
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const plot = await queried(page, 'SELECT * FROM cpu ORDER BY ts');
  t.deepEqual(labelsOf(plot), ['cpu=0', 'cpu=1']);
  await page.waitForSelector(
    '.picture >> text=All lines have __name__=node_cpu_seconds_total, instance=localhost:32100.',
  );
  t.deepEqual(plot.lines[0]?.words, ['21.447', '13.514']);
  const cells = page.locator('.rows tbody td.number');
  t.deepEqual((await cells.allInnerTexts()).sort(), ['13.5143', '13.5143', '21.447', '21.447']);
  await cells.first().click();
  await page.keyboard.press('Control+C');
  t.is(await page.evaluate('navigator.clipboard.readText()'), '21.447000000000003');
  await page.goto(`http://127.0.0.1:${service().port}/#tail?db=graphs&table=cpu`);
  await page.waitForSelector('.tail td.number >> text="21.447"');
  t.is(await page.locator('.tail td.number >> text="21.447"').first().getAttribute('title'), '21.447000000000003');
});
