import test from 'ava';
import type { Page } from 'playwright-core';
import { goTo, isOpenToAll, labelsOf } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';
import { until } from '../support/until.js';

/** What the page shows of data without a statement being written. */
const { inBrowser, service, logInAndSee } = await pageWorld(test);

/** Whether the plot has come to show these lines. */
function drawn(page: Page, labels: readonly string[]): Promise<boolean> {
  return until(async () => (await labelsOf(page)).join() === labels.join(), 60_000);
}

/** Ten minutes of two stations in two cities, until now. */
async function writeWeather(): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const lines = Array.from({ length: 240 }, (_, at) => {
    const city = at % 2 === 0 ? 'oslo' : 'rome';
    return `weather,city=${city},station=${(at >> 1) % 2} temp=${at % 9},humid=60i ${now - 600 + at}`;
  });
  await service().write(lines.join('\n'), { db: 'sky', precision: 's' });
}

inBrowser('an empty service shows the first calls, and the first row the moment it arrives', async (t) => {
  const { page, wrong } = await logInAndSee(t);
  for (const view of ['Explore', 'Query']) {
    await goTo(page, view);
    await page.waitForSelector('main >> text=There is no database yet.');
  }
  await page.click('main >> text=First steps');
  await page.waitForSelector('h1 >> text=Start');
  await page.click('nav >> text=Events');
  await page.waitForSelector('.first >> text=Waiting for the first row');
  await isOpenToAll(t, page, 'first steps');
  const calls = await page.locator('.first pre').allTextContents();
  t.is(calls.length, 3);
  t.regex(
    calls[1] ?? '',
    new RegExp(`^curl -u root 'http://127\\.0\\.0\\.1:${service().port}/lineproto/v1/write\\?db=demo' `),
  );
  const [, line = ''] = /--data-binary '(.*)'$/.exec(calls[1] ?? '') ?? [];
  t.is((await service().write(line, { db: 'demo' })).status, 204);
  await page.waitForSelector('.first h3 >> text=Data has arrived in demo.weather');
  await page.waitForSelector('.first .rows td >> text=-3.5');
  await page.click('.first >> text=configurations of agents');
  await page.waitForSelector('.document h1 >> text=agents');
  await isOpenToAll(t, page, 'documents');
  t.deepEqual(wrong, []);
});

inBrowser('the newest rows of a table are followed live, until they are held', async (t) => {
  const write = (temp: number) => service().write(`tailed,city=oslo temp=${temp}`, { db: 'demo' });
  await write(1);
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Query');
  await page.waitForSelector('#database option[value=demo]', { state: 'attached' });
  await page.selectOption('#database', 'demo');
  await page.click('.tree summary >> text=tailed');
  await page.click('[aria-label="Live rows of tailed"]');
  await page.waitForSelector('h1 >> text=demo.tailed');
  const first = page.locator('.tail tbody tr').first();
  await first.locator('td.number >> text="1"').waitFor();
  await write(2);
  await first.locator('td.number >> text="2"').waitFor();
  await isOpenToAll(t, page, 'live rows');
  await page.click('text=Pause');
  await page.waitForSelector('[aria-pressed=true] >> text=Resume');
  await write(3);
  await page.click('text=Resume');
  await first.locator('td.number >> text="3"').waitFor();
  t.is(await page.locator('.tail tbody tr').count(), 3);
  t.deepEqual(wrong, []);
});

inBrowser('a metric is drawn without SQL, by tags that are chosen, and its SQL runs in the query view', async (t) => {
  await writeWeather();
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Explore');
  await page.waitForSelector('#explore-database option[value=sky]', { state: 'attached' });
  await page.selectOption('#explore-database', 'sky');
  await page.waitForSelector('.uplot canvas');
  t.deepEqual(await labelsOf(page), [
    'Time',
    'oslo, station=0',
    'oslo, station=1',
    'rome, station=0',
    'rome, station=1',
  ]);

  await page.uncheck('.choices label:has-text("station") input');
  t.true(await drawn(page, ['Time', 'oslo', 'rome']));

  await page.click('text=Add a filter');
  await page.selectOption('[aria-label=Tag]', 'city');
  await page.waitForSelector('.filter-row option[value=rome]', { state: 'attached' });
  await page.fill('[aria-label=Value]', 'rome');
  await page.selectOption('#function', 'MAX');
  await page.waitForSelector(".sql >> text=/MAX\\(`temp`\\)[\\s\\S]*`city` = 'rome'/");
  t.true(await drawn(page, ['Time', 'rome']));

  // What was chosen is in the address.
  await page.reload();
  await page.waitForSelector('.uplot canvas');
  t.deepEqual(await labelsOf(page), ['Time', 'rome']);
  t.is(await page.inputValue('[aria-label=Value]'), 'rome');

  await page.click('text=Open in Query');
  await page.waitForSelector('h1 >> text=Query');
  await page.waitForSelector('.uplot canvas');
  t.deepEqual(await labelsOf(page), ['Time', 'rome']);

  // Of old rows it is told when they are of.
  await service().run('CREATE DATABASE past');
  t.is((await service().write('tide height=2 1700000000', { db: 'past', precision: 's' })).status, 204);
  await goTo(page, 'Explore');
  await page.waitForSelector('#explore-database option[value=past]', { state: 'attached' });
  await page.selectOption('#explore-database', 'past');
  await page.waitForSelector('.outcome >> text=There are none in the time range.');
  await page.waitForSelector('text=/The newest row is of 14 Nov 2023/');
  await page.click('text=Show all times');
  t.true(await drawn(page, ['Time', 'max(`height`)']));
  t.deepEqual(wrong, []);
});

inBrowser('scraped metrics are explored by their name, rates of counters by a label', async (t) => {
  await service().run('CREATE DATABASE IF NOT EXISTS scraped');
  await service().run('CREATE STABLE scraped.metrics (ts TIMESTAMP, value DOUBLE) TAGS (labels JSON)');
  const now = Date.now();
  for (const cpu of [0, 1]) {
    const labels = JSON.stringify({ __name__: 'cpu_seconds_total', cpu: String(cpu) });
    const rows = Array.from({ length: 60 }, (_, at) => `(${now - at * 5000}, ${(60 - at) * (cpu + 1)})`).join(' ');
    await service().run(`INSERT INTO scraped.c${cpu} USING scraped.metrics TAGS ('${labels}') VALUES ${rows}`);
  }
  // Buckets have most series, and say least.
  for (const [metric, key, values] of [
    ['disk_free_bytes', 'disk', ['a', 'b']],
    ['took_seconds_bucket', 'le', ['1', '2', '+Inf']],
  ] as const) {
    for (const value of values) {
      const labels = JSON.stringify({ __name__: metric, [key]: value });
      await service().run(
        `INSERT INTO scraped.\`${metric}${value}\` USING scraped.metrics TAGS ('${labels}') VALUES (${now}, 1)`,
      );
    }
  }
  const { page, wrong } = await logInAndSee(t, '/#series');
  await page.click('summary:has-text("scraped.metrics")');
  await page.waitForSelector('td >> text=cpu_seconds_total (2)');
  await page.click('text=Explore metrics');
  await page.waitForSelector('.uplot canvas');
  t.is(await page.inputValue('[aria-label=Value]'), 'cpu_seconds_total');
  t.is(await page.inputValue('#function'), 'RATE');
  await page.waitForSelector('.sql >> text=RATE(`value`)');
  await page.waitForSelector('.outcome >> text=/rows in/');
  t.true(await drawn(page, ['Time', 'cpu=0', 'cpu=1']));

  // Only labels of the metric are offered, and another metric has others.
  const offered = async () =>
    (await page.locator('.choices label').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()).join();
  t.is(await offered(), 'cpu 2,__name__ 1');
  await page.fill('[aria-label=Value]', 'disk_free_bytes');
  t.true(await drawn(page, ['Time', 'disk=a', 'disk=b']));
  t.is(await offered(), 'disk 2,__name__ 1');
  t.is(await page.inputValue('#function'), 'AVG');
  t.deepEqual(wrong, []);
});

inBrowser('a rate counts every step of a counter once, in windows that follow its values', async (t) => {
  const first = 1_700_000_000_000;
  await service().run('CREATE DATABASE bursts');
  await service().run('CREATE TABLE bursts.sent (ts TIMESTAMP, n BIGINT)');
  // Every second of the values, two seconds apart, is 20 higher; after 22 of them the counter begins anew.
  const rows = Array.from({ length: 30 }, (_, at) => [first + at * 2000, 20 * Math.floor((at % 22) / 2)]);
  await service().run(`INSERT INTO bursts.sent VALUES ${rows.map((row) => `(${row})`).join(' ')} (${first + 1}, NULL)`);
  const { page } = await logInAndSee(t, '/#explore');
  const statement: string = await page.evaluate(`(async () => {
    const { exploreStatement } = await import('/page/explore-sql.js');
    const { periodOf } = await import('/page/extent.js');
    const choice = { database: 'bursts', table: 'sent', column: 'n', of: 'RATE', filters: [], groups: [] };
    const fill = (text) => text.replaceAll('$from', '${first + 1000}').replaceAll('$to', '${first + 59_000}');
    return fill(exploreStatement(choice, 60000, { periodMs: await periodOf(choice, fill) }));
  })()`);
  t.regex(statement, /INTERVAL\(10s\)/);
  // Steps of 20, one in four seconds: the windows have two, three and two, and two as the counter begins anew. The range cuts
  // the first window and the last.
  const rates = (await service().rows(statement)).map(([, rate]) => rate);
  t.deepEqual(rates, [4, 6, 4, 4]);
});

const phone = { width: 390, height: 844 };
for (const [name, colorScheme, viewport] of [
  ['on a phone', 'light', phone],
  ['on a phone in dark colours', 'dark', phone],
  ['on a desk', 'light', { width: 1280, height: 800 }],
] as const) {
  inBrowser(`views of data have no barrier for anybody ${name}`, async (t) => {
    await writeWeather();
    const { page } = await logInAndSee(t, '/', {
      colorScheme,
      viewport,
      reducedMotion: 'reduce',
    });
    await goTo(page, 'Explore');
    await page.waitForSelector('#explore-database option[value=sky]', { state: 'attached' });
    await page.selectOption('#explore-database', 'sky');
    await page.waitForSelector('.uplot canvas');
    await page.click('text=Add a filter');
    await isOpenToAll(t, page, 'explore');
    await page.click('text=Cardinality');
    await page.click('summary:has-text("sky.weather")');
    await page.waitForSelector('text=Explore weather');
    await isOpenToAll(t, page, 'series');
  });
}
