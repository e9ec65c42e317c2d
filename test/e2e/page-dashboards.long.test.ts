import { readFileSync } from 'node:fs';
import test from 'ava';
import type { Page } from 'playwright-core';
import { goTo, isOpenToAll, labelsOf, logIn, type } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';
import { basicOf } from '../support/service/service.js';
import { until } from '../support/until.js';

/** What people keep: saved queries and dashboards, in a real browser. */
const { inBrowser, service, logInAndSee, open } = await pageWorld(test);

const ann = { user: 'ann', password: 'Secret-12345' } as const;

/** Ten minutes of two hosts, until now, and a user who reads them. */
async function prepare(): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const lines = Array.from(
    { length: 120 },
    (_, at) => `cpu,host=${at % 2 === 0 ? 'a' : "b'b"} load=${at} ${now - 600 + at * 5}`,
  );
  await service().write(lines.join('\n'), { db: 'plant', precision: 's', ack: 'stored' });
  if ((await service().code(`CREATE USER ann PASS '${ann.password}'`)) === 0) {
    await service().run('GRANT READ ON plant.* TO ann');
  }
}

function drawn(page: Page, labels: readonly string[]): Promise<boolean> {
  return until(async () => (await labelsOf(page)).join() === labels.join(), 60_000);
}

inBrowser('a query is saved, opened again with its database and range, replaced and deleted', async (t) => {
  await prepare();
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Query');
  await page.waitForSelector('#database option[value=plant]', { state: 'attached' });
  await page.selectOption('#database', 'plant');
  await page.selectOption('#range', '900000');
  await type(page, 'SELECT COUNT(*) FROM cpu WHERE _ts BETWEEN $from AND $to');
  await page.click('text=Save as…');
  await page.fill('dialog[open] input[maxlength]', 'Rows of cpu');
  await page.check('dialog[open] input[type=checkbox]');
  await isOpenToAll(t, page, 'saving a query');
  await page.click('dialog[open] >> text="Save"');
  await page.waitForSelector('.history button.name >> text=Rows of cpu');
  await isOpenToAll(t, page, 'saved queries');
  await page.reload();
  await page.waitForSelector('#database option[value=plant]', { state: 'attached' });
  await page.selectOption('#database', '');
  await page.selectOption('#range', '300000');
  await type(page, 'SHOW DATABASES');
  await page.click('summary >> text=Saved queries');
  await page.click('.history button.name >> text=Rows of cpu');
  await page.waitForSelector('.rows td.number >> text="120"');
  t.is(await page.inputValue('#range'), '900000');
  t.is(await page.inputValue('#database'), 'plant');
  await type(page, 'SELECT COUNT(*) + 1 FROM plant.cpu');
  await page.click('text="Save Rows of cpu"');
  await page.waitForSelector('.toast >> text=The query is saved.');
  const seen = await open(t, '/#query');
  await logIn(seen.page, ann);
  await seen.page.click('summary >> text=Saved queries');
  await seen.page.click('.history button.name >> text=Rows of cpu');
  await seen.page.waitForSelector('.rows td.number >> text="121"');
  t.is(await seen.page.locator('text="Save Rows of cpu"').count(), 0);
  t.is(await seen.page.locator('[aria-label="Delete Rows of cpu"]').count(), 0);
  page.once('dialog', (dialog) => dialog.accept());
  await page.click('[aria-label="Delete Rows of cpu"]');
  await page.waitForSelector('text=No query is saved yet.');
  t.deepEqual([wrong, seen.wrong], [[], []]);
});

inBrowser('a dashboard is made, laid out, saved, linked, exported and imported', async (t) => {
  await prepare();
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Dashboards');
  await page.waitForSelector('text=There is no dashboard yet.');
  await page.click('text=New dashboard');
  await page.fill('dialog[open] input[maxlength]', 'Hosts');
  await page.check('dialog[open] input[type=checkbox]');
  await page.click('text=Make it');
  await page.waitForSelector('h1 >> text=Hosts');
  await page.click('text=Variables…');
  await page.click('text=Add a variable');
  await page.fill('dialog[open] label:text("Variable") + input', 'host');
  await page.selectOption('dialog[open] select', 'list');
  await page.fill('dialog[open] textarea', 'SELECT DISTINCT host FROM plant.cpu ORDER BY host');
  await isOpenToAll(t, page, 'variables');
  await page.click('dialog[open] >> text=Apply');
  await page.waitForSelector('#variable-host option[value="b\'b"]', { state: 'attached' });
  const panel = async (title: string, query: string, graph: string, promql = false): Promise<void> => {
    await page.click('text=Add panel');
    await page.fill('#panel-title', title);
    if (promql) await page.check('dialog[open] input[value=promql]');
    await page.fill('#panel-query', query);
    await page.waitForSelector('#panel-database option[value=plant]', { state: 'attached' });
    await page.selectOption('#panel-database', 'plant');
    await page.selectOption('#panel-graph', graph);
    await page.fill('#panel-unit', '%');
    if (title === 'Load') await isOpenToAll(t, page, 'a panel is made');
    await page.click('dialog[open] >> text=Apply');
  };
  await panel('Load', 'SELECT _ts, load FROM cpu WHERE host = $host AND _ts BETWEEN $from AND $to', 'lines');
  await page.selectOption('#variable-host', "b'b");
  t.true(await drawn(page, ['Time', 'load']));
  await panel('Newest', 'SELECT LAST(load) FROM cpu WHERE host = $host', 'values');
  await page.waitForSelector('.newest-values >> text="119 %"');
  await panel('Prom', 'cpu_load{host=~"$host|x"}', 'table', true);
  await page.waitForSelector('[aria-label=Prom] td >> text="119"');
  await panel('Bad', 'DROP TABLE cpu', 'table');
  await page.waitForSelector('[aria-label=Bad] .error >> text=only statements that read');
  await page.click('[aria-label=Bad] [aria-label="Remove panel"]');
  await page.click('[aria-label=Newest] [aria-label="Narrower"]');
  await page.click('[aria-label=Newest] [aria-label="Move earlier"]');
  await isOpenToAll(t, page, 'a dashboard that is edited');
  const titles = () => page.locator('.dashboard-panel h2').allInnerTexts();
  t.deepEqual(await titles(), ['Newest', 'Load', 'Prom']);
  await page.waitForSelector('text=unsaved changes');
  await page.click('section > .actions >> text="Save"');
  await page.waitForSelector('.toast >> text=The dashboard is saved.');
  await page.click('text="Done"');
  await page.selectOption('#variable-host', 'a');
  await page.waitForSelector('.newest-values >> text="118 %"');
  await isOpenToAll(t, page, 'a dashboard');
  const link = page.url();
  t.regex(link, /var-host=a/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text="Export"')]);
  const exported = await download.path();
  const text = readFileSync(exported, 'utf8');
  t.like(JSON.parse(text), { name: 'Hosts', content: { range: '3600000', refresh: 0 } });

  const seen = await open(t, new URL(link).hash.replace(/^/, '/'));
  await logIn(seen.page, ann);
  await seen.page.waitForSelector('.newest-values >> text="118 %"');
  t.is(await seen.page.inputValue('#variable-host'), 'a');
  await seen.page.click('text="Edit"');
  await seen.page.waitForSelector('text=Save a copy…');
  t.false(await seen.page.isVisible('section > .actions >> text="Save"'));
  await seen.page.click('text=Save a copy…');
  await seen.page.click('dialog[open] >> text="Save"');
  await seen.page.waitForSelector('h1 >> text=Hosts (copy)');
  await seen.page.setViewportSize({ width: 390, height: 800 });
  await isOpenToAll(t, seen.page, 'a dashboard on a phone');

  await page.click('text=All dashboards');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('text=Import…')]);
  await chooser.setFiles({
    name: 'bad.json',
    mimeType: 'application/json',
    buffer: Buffer.from(text.replace('"sql"', '"nosql"')),
  });
  await page.waitForSelector('text=body.content.panels[0].language must be one of sql, promql, not "nosql"');
  const [again] = await Promise.all([page.waitForEvent('filechooser'), page.click('text=Import…')]);
  await again.setFiles(exported);
  await page.waitForSelector('.toast >> text=The dashboard Hosts is imported.');
  await page.waitForSelector('.newest-values >> text="118 %"');
  t.deepEqual(await titles(), ['Newest', 'Load', 'Prom']);
  t.deepEqual([wrong, seen.wrong], [[], []]);
});

inBrowser('changes of a dashboard are kept in the tab, and lose to nobody without a word', async (t) => {
  await prepare();
  const content = {
    panels: [{ title: 'One', language: 'sql', query: 'SELECT 1', database: '', graph: 'table', width: 6, height: 3 }],
  };
  const request = async (method: string, path: string, body: object) => {
    const auth = basicOf('root', 'taosdata');
    const reply = await service().request({
      method,
      path: `/api/v1/dashboards${path}`,
      body: JSON.stringify(body),
      auth,
    });
    const answer: { id: string; version: number } = JSON.parse(reply.text);
    return answer;
  };
  const { id } = await request('POST', '', { name: 'Shared work', content });
  const { page, wrong } = await logInAndSee(t, `/#dashboards?id=${id}`);
  await page.waitForSelector('[aria-label=One] td >> text="1"');
  await page.click('text="Edit"');
  await page.click('[aria-label=One] [aria-label=Wider]');
  await goTo(page, 'Query');
  await page.goBack();
  await page.waitForSelector('text=unsaved changes');
  await request('PUT', `/${id}`, { name: 'Changed by another', shared: false, content, version: 1 });
  await page.click('section > .actions >> text="Save"');
  await page.waitForSelector('text=has version 2 by now, by root; version 1 cannot be replaced');
  await page.click('text=Discard changes');
  await page.waitForSelector('h1 >> text=Changed by another');
  t.is(await page.locator('text=unsaved changes').count(), 0);
  t.deepEqual(
    wrong.filter((words) => !words.includes('409')),
    [],
  );
});

inBrowser('what Explore draws and Query runs is added to dashboards', async (t) => {
  await prepare();
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Explore');
  await page.waitForSelector('#explore-database option[value=plant]', { state: 'attached' });
  await page.selectOption('#explore-database', 'plant');
  await page.waitForSelector('.sql >> text=plant');
  await page.click('text=Add to dashboard…');
  await page.fill('#add-title', 'Load of hosts');
  await page.fill('#add-name', 'Taken along');
  await isOpenToAll(t, page, 'adding to a dashboard');
  await page.click('dialog[open] >> text="Add"');
  await page.waitForSelector('dialog[open] a >> text=Taken along');
  await page.click('dialog[open] >> text="Close"');
  await goTo(page, 'Query');
  await type(page, 'SELECT 1; SELECT 2');
  await page.click('text=Add to dashboard…');
  await page.selectOption('#add-dashboard', { label: 'Taken along' });
  await page.fill('#add-title', 'Number');
  await page.click('dialog[open] >> text="Add"');
  await page.click('dialog[open] a >> text=Taken along');
  await page.waitForSelector('[aria-label="Number 2"] td >> text="2"');
  t.deepEqual(await page.locator('.dashboard-panel h2').allInnerTexts(), ['Load of hosts', 'Number 1', 'Number 2']);
  t.true(await until(async () => (await labelsOf(page)).length > 1, 60_000));
  t.deepEqual(wrong, []);
});
