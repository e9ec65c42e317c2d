import test from 'ava';
import type { Page } from 'playwright-core';
import { labelsOf as labelsOfSeries, writeBody } from '../support/messages/remote-messages.js';
import { goTo, isOpenToAll, labelsOf, type } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';
import { until } from '../support/until.js';

/** What people do with metrics by their name, and with PromQL, on the page. */
const { inBrowser, service, logInAndSee } = await pageWorld(test);

/** Whether the plot has come to show these lines. */
function drawn(page: Page, labels: readonly string[]): Promise<boolean> {
  return until(async () => (await labelsOf(page)).join() === labels.join(), 60_000);
}

/** Ten minutes of two counters, one sample per ten seconds, until now: 3 and 6 per second, up to 1800 and 3600. */
async function writeRequests(db: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const lines = Array.from({ length: 61 }, (_, at) =>
    [1, 2].map((site) => `requests,site=s${site} counter=${at * 30 * site},errors=${at}i ${now - 600 + at * 10}`),
  );
  await service().write(lines.flat().join('\n'), { db, precision: 's' });
}

inBrowser('an expression of PromQL is completed, drawn, listed by its newest values, and linked', async (t) => {
  await writeRequests('shop');
  const { page, wrong } = await logInAndSee(t);
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  await goTo(page, 'Query');
  await page.waitForSelector('#statement-hint:empty', { state: 'attached' });
  await page.waitForSelector('#database option[value=shop]', { state: 'attached' });
  await page.selectOption('#database', 'shop');
  t.false(loaded.includes('/page/codemirror-promql.js'));
  await page.check('text=PromQL');
  await page.waitForSelector('.cm-placeholder >> text=sum by (city)');
  t.true(loaded.includes('/page/codemirror-promql.js'));
  t.true(await page.locator('text=Explain').isHidden());

  const offered = '.cm-tooltip-autocomplete';
  await page.focus('#statement');
  await page.keyboard.type('sum by (site) (rate(reque');
  await page.waitForSelector(`${offered} >> text=requests_counter`);
  await page.keyboard.press('Escape');
  await page.keyboard.type('sts_counter{si');
  await page.waitForSelector(`${offered} >> text=site`);
  await page.keyboard.press('Escape');
  await type(page, 'sum by (site) (max_over_time(requests_counter[1h]))');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.outcome >> text=2 series in');
  t.deepEqual(await labelsOf(page), ['Time', 'site=s1', 'site=s2']);
  const newest = async () => (await page.locator('.rows tbody td').allInnerTexts()).filter((_, at) => at % 3 !== 1);
  t.deepEqual(await newest(), ['s1', '1800', 's2', '3600']);
  await page.click('summary >> text=Rows');
  await page.waitForSelector('.rows >> nth=1');
  await isOpenToAll(t, page, 'PromQL');

  // The link holds language, database and expression.
  t.true(page.url().includes('language=promql'));
  await page.reload();
  await page.waitForSelector('.outcome >> text=2 series in');
  t.deepEqual(await labelsOf(page), ['Time', 'site=s1', 'site=s2']);

  // A range selector gives its samples, an expression without labels a line with its text.
  await type(page, 'requests_counter{site="s1"}[10m]');
  await page.click('button:text-is("Run")');
  await page.waitForSelector('.outcome >> text=1 series in');
  await page.click('summary >> text=Rows');
  await page.waitForSelector('.rows td >> text="1800"');
  await type(page, 'vector(1) > 0');
  await page.click('button:text-is("Run")');
  t.true(await until(async () => (await labelsOf(page)).join() === 'Time,vector(1) > 0', 30_000));

  // Each language keeps its text.
  await page.check('text="SQL"');
  await page.waitForSelector('.cm-placeholder >> text=SELECT _wstart');
  await type(page, 'SELECT COUNT(*) FROM shop.requests');
  await page.click('button:text-is("Run")');
  await page.waitForSelector('.rows td >> text=122');
  await page.click('summary >> text=History');
  await page.click('.past >> text=vector(1) > 0');
  t.true(await page.isChecked('text=PromQL'));
  await page.waitForSelector('#statement >> text=vector(1) > 0');
  t.deepEqual(wrong, []);
});

inBrowser('a mistake in PromQL is marked where it is, and a limit says which it was', async (t) => {
  await writeRequests('errs');
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Query');
  await page.waitForSelector('#database option[value=errs]', { state: 'attached' });
  await page.selectOption('#database', 'errs');
  await page.check('text=PromQL');
  await page.waitForSelector('.cm-placeholder >> text=sum by (city)');
  await type(page, 'requests_counter +\n foo(requests_errors)');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.outcome.error >> text=2:2: parse error: unknown function with name "foo"');
  t.is(await page.locator('.cm-lintRange-error').textContent(), 'foo');
  await page.selectOption('#range', 'all');
  await page.waitForSelector('.outcome.error >> text=PromQL needs a time range');
  await page.selectOption('#range', '3600000');
  await page.selectOption('#database', '');
  await type(page, 'requests_counter');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.outcome.error >> text=Database not exist');
  t.deepEqual(wrong, []);
});

inBrowser('metrics are found by name in whatever table, and drawn together', async (t) => {
  await service().run('CREATE DATABASE IF NOT EXISTS named');
  const now = Date.now();
  const series = ['node_cpu_seconds_total', 'node_cpu_seconds_total', 'node_load1'].map((metric, cpu) => ({
    labels: labelsOfSeries({ __name__: metric, cpu: String(cpu) }),
    samples: Array.from({ length: 60 }, (_, at) => ({ value: 60 - at, timestamp: now - at * 5000 })).reverse(),
  }));
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  const path = '/metricsdb/v1/remote_write/named';
  t.is((await service().request({ path, headers, body: writeBody(series) })).status, 204);
  const took = ['bucket{le="1"} 2', 'bucket{le="+Inf"} 3', 'sum 2', 'count 3'];
  const samples = [now - 120_000, now - 60_000].flatMap((time) => took.map((sample) => `took_${sample} ${time}`));
  const text = ['# TYPE took histogram', ...samples].join('\n');
  const imported = { path: '/api/v1/import/prometheus?db=named', body: `${text}\n` };
  t.true((await service().request(imported)).status < 300);
  await service().write('room,site=a temp=21,hum=40\nroom,site=b temp=22,hum=45', { db: 'named' });
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Explore');
  await page.waitForSelector('#explore-database option[value=named]', { state: 'attached' });
  await page.selectOption('#explore-database', 'named');
  await page.waitForSelector('#metrics option[value=node_load1]', { state: 'attached' });
  t.true(await page.locator('#expression').isHidden());
  await page.locator('#metric').pressSequentially('cpu node');
  await page.waitForSelector('#metrics option[value=node_load1]', { state: 'detached' });
  t.deepEqual(
    await page
      .locator('#metrics option')
      .evaluateAll((options) => options.map((option) => option.getAttribute('value'))),
    ['node_cpu_seconds_total'],
  );

  const choose = async (name: string) => {
    await page.fill('#metric', name);
    await page.keyboard.press('Enter');
  };
  await choose('node_cpu_seconds_total');
  t.true(await drawn(page, ['Time', 'cpu=0', 'cpu=1']));
  t.is(await page.inputValue('#function'), 'RATE');
  t.is(await page.inputValue('#metric'), 'node_cpu_seconds_total');

  await page.click('text=Add a metric');
  await choose('room_hum');
  const both = ['AVG(room.hum) site=a (right)', 'AVG(room.hum) site=b (right)'];
  const lines = ['Time', ...both, 'RATE(node_cpu_seconds_total) cpu=0', 'RATE(node_cpu_seconds_total) cpu=1'];
  t.true(await drawn(page, lines));
  t.is(await page.inputValue('#column'), 'hum');
  await isOpenToAll(t, page, 'several metrics');

  // What was chosen is in the address.
  await page.reload();
  t.true(await drawn(page, lines));
  await page.click('text=Open in Query');
  await page.waitForSelector('h1 >> text=Query');
  t.true(await until(async () => (await page.locator('.uplot').count()) === 2, 30_000));
  await page.goBack();
  t.true(await drawn(page, lines));
  await page.click('[aria-label="Remove RATE(node_cpu_seconds_total)"]');
  t.true(await drawn(page, ['Time', 'a', 'b']));

  await choose('no_such');
  await page.waitForSelector('text=There is no table or metric no_such in named');

  // Buckets of a histogram are several columns: PromQL draws them.
  await choose('took_bucket');
  await page.waitForSelector('#expression');
  t.true(await until(async () => (await labelsOf(page)).filter((label) => label.includes('le=')).length === 2, 60_000));
  t.deepEqual(wrong, []);
});

inBrowser('a metric is explored in PromQL, by an expression that its name begins', async (t) => {
  await writeRequests('sky');
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Explore');
  await page.waitForSelector('#explore-database option[value=sky]', { state: 'attached' });
  await page.selectOption('#explore-database', 'sky');
  await page.waitForSelector('.uplot canvas');
  await page.check('text=PromQL');
  await page.waitForSelector('#expression');
  t.true(await page.locator('#column').isHidden());
  await page.fill('#metric', 'requests_errors');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.outcome >> text=2 series in');
  t.is(await page.locator('#expression').textContent(), 'requests_errors');
  await page.focus('#expression');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('max by (site) (requests_errors)');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  t.true(await drawn(page, ['Time', 'site=s1', 'site=s2']));
  await isOpenToAll(t, page, 'PromQL in Explore');
  await page.reload();
  t.true(await drawn(page, ['Time', 'site=s1', 'site=s2']));
  await page.focus('#expression');
  await page.keyboard.press('End');
  await page.keyboard.type(' +');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.outcome.error >> text=parse error');
  await page.check('text="SQL"');
  await page.waitForSelector('.sql >> text=AVG');
  t.deepEqual(wrong, []);
});
