import test from 'ava';
import { version } from '../../src/model/version.js';
import { goTo, isOpenToAll, logIn, type } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';
import { until } from '../support/until.js';

const rule = { name: 'hot', database: 'plant', table: 'ovens', column: 'temp', comparison: '>', threshold: 90 };

/** What people do with many rows and many events. */
const { inBrowser, service, open } = await pageWorld(test, `--events.rules=${JSON.stringify([rule])}`);

inBrowser('the log-in says the version of the service, and so does every view', async (t) => {
  const { page, wrong } = await open(t);
  await page.waitForSelector(`.login >> text=Version ${version}`);
  await logIn(page);
  await page.waitForSelector(`footer >> text=Sluice ${version}`);
  t.deepEqual(wrong, []);
});

inBrowser(
  'completion offers what can still be completed, and closes when a word is whole or the statement runs',
  async (t) => {
    await service().write('sizes,name=a v=9i', { db: 'whole' });
    const { page } = await open(t);
    await logIn(page);
    await goTo(page, 'Query');
    await page.waitForSelector('#statement-hint:empty', { state: 'attached' });
    await page.selectOption('#database', 'whole');
    await page.focus('#statement');
    const offered = '.cm-tooltip-autocomplete';
    await page.keyboard.type('SELECT v FROM siz');
    await page.waitForSelector(`${offered} >> text=sizes`);
    await page.keyboard.type('es');
    await page.waitForSelector(offered, { state: 'detached' });
    await page.keyboard.type(' WHERE na');
    await page.waitForSelector(`${offered} >> text=name`);
    await page.keyboard.press('Escape');
    await page.keyboard.type("me > ''");
    await page.keyboard.type(' AND nam');
    await page.waitForSelector(`${offered} >> text=name`);
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector(offered, { state: 'detached' });
    t.pass();
  },
);

inBrowser('completion offers words without the service, and columns and tags of all tables before FROM', async (t) => {
  await service().write('parcels,depot=north weight_kg=9,height_cm=3\ncrates,depot=south weight_kg=1', { db: 'many' });
  const { page } = await open(t);
  await logIn(page);
  await goTo(page, 'Query');
  await page.waitForSelector('#statement-hint:empty', { state: 'attached' });
  await page.selectOption('#database', 'many');
  await page.waitForSelector('.tree summary >> text=parcels');
  const statements: string[] = [];
  let isOpen = false;
  const held: (() => Promise<void>)[] = [];
  await page.route('**/rest/sql*', async (route) => {
    statements.push(route.request().postData() ?? '');
    if (isOpen) await route.continue();
    else held.push(() => route.continue());
  });
  const offered = '.cm-tooltip-autocomplete';
  await page.focus('#statement');
  await page.keyboard.type('SELE');
  await page.waitForSelector(`${offered} >> text=SELECT`);
  await page.keyboard.press('Escape');
  isOpen = true;
  await Promise.all(held.map((release) => release()));
  await page.keyboard.type('CT wei');
  await page.waitForSelector(`${offered} >> text=weight_kg`);
  await page.waitForSelector(`${offered} >> text=DOUBLE of 2 tables`);
  await page.keyboard.type('ght_kg, hei');
  await page.waitForSelector(`${offered} >> text=DOUBLE of parcels`);
  await page.keyboard.type('ght_cm, dep');
  await page.waitForSelector(`${offered} >> text=tag of 2 tables`);
  // One listing of columns and one of tags serve all letters.
  t.is(statements.length, 2, statements.join('\n'));
  // Of a table that is named only its own columns are offered.
  await page.keyboard.type('ot FROM crates WHERE hei');
  await page.waitForSelector(offered, { state: 'detached' });
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('wei');
  await page.waitForSelector(`${offered} >> text=weight_kg`);
});

inBrowser('rows are sorted by their headings, walked through by keys, and their cells copied', async (t) => {
  await service().write('sizes,name=a v=9i\nsizes,name=b v=10i\nsizes,name=c w=1', { db: 'grid' });
  const { page, wrong } = await open(t);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await logIn(page);
  await goTo(page, 'Query');
  await type(page, 'SELECT name, v FROM grid.sizes ORDER BY name');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.rows tbody tr');
  const values = (): Promise<string[]> => page.locator('.rows tbody td.number, .rows tbody td.null').allInnerTexts();
  t.deepEqual(await values(), ['9', '10', 'NULL']);
  const heading = page.getByRole('button', { name: 'v', exact: true });
  await heading.click();
  await heading.click();
  await page.waitForSelector('th[aria-sort=descending]');
  t.deepEqual(await values(), ['10', '9', 'NULL']);
  await page.click('.rows tbody tr:first-child td:first-child');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Control+C');
  t.is(await page.evaluate('navigator.clipboard.readText()'), '10');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await page.keyboard.press('Control+C');
  t.is(await page.evaluate('navigator.clipboard.readText()'), 'a');
  await page.click('text=Copy rows');
  await page.waitForSelector('.toast >> text=The rows are copied');
  t.is(await page.evaluate('navigator.clipboard.readText()'), 'name\tv\na\t9\nb\t10\nc\t');
  await heading.click();
  await page.waitForSelector('th[aria-sort]', { state: 'detached' });
  t.deepEqual(await values(), ['9', '10', 'NULL']);
  await isOpenToAll(t, page, 'rows');
  t.deepEqual(wrong, []);
});

inBrowser('several events are acknowledged at once, and resolved with one comment', async (t) => {
  const { page, wrong } = await open(t);
  await logIn(page);
  const lines = ['o1', 'o2', 'o3'].map((oven) => `ovens,oven=${oven} temp=95`).join('\n');
  t.is((await service().write(lines, { db: 'plant' })).status, 204);
  await page.locator('.event').nth(2).waitFor();
  await page.getByLabel('Select: ovens temp of oven=o2 is > 90').check();
  await page.waitForSelector('.bulk >> text=1 selected');
  await page.getByLabel('Select all').check();
  await page.waitForSelector('.bulk >> text=3 selected');
  await isOpenToAll(t, page, 'events chosen');
  await page.click('.bulk >> text=Acknowledge');
  await page.waitForSelector('.toast >> text=Acknowledged: 3 events.');
  await page.locator('.status:text-is("acknowledged")').nth(2).waitFor();
  await page.getByLabel('Select all').check();
  await page.locator('.bulk button:disabled:has-text("Acknowledge")').waitFor();
  await page.click('.bulk >> text=Resolve…');
  await page.fill('#comment', 'New fuse.');
  await page.click('dialog button[type=submit]');
  await page.waitForSelector('.toast >> text=Resolved: 3 events.');
  await page.waitForSelector('.event', { state: 'detached' });
  const { text } = await service().request({ method: 'GET', path: '/api/v1/events?status=resolved' });
  t.is(text.split('"comment":"New fuse."').length, 4);
  t.deepEqual(wrong, []);
});

inBrowser('what the service remembers of itself is drawn as soon as the page is open', async (t) => {
  const sampled = await until(async () => {
    const { text } = await service().request({ method: 'GET', path: '/metrics/history' });
    return JSON.parse(text).times.length > 1;
  }, 60_000);
  t.true(sampled);
  const { page, wrong } = await open(t);
  const asked = page.waitForResponse((response) => response.url().endsWith('/metrics/history'));
  await logIn(page);
  t.is((await asked).status(), 200);
  await goTo(page, 'Health');
  await page.locator('.uplot canvas').nth(1).waitFor();
  await page.waitForSelector('h2 >> text=Memory of adapter and database over the last hour');
  t.deepEqual(wrong, []);
});

inBrowser('the page of the interfaces wears dark colours where the visitor does', async (t) => {
  const background = 'getComputedStyle(document.documentElement).backgroundColor';
  const dark = await open(t, '/swagger-ui.html', { colorScheme: 'dark' });
  await dark.page.waitForSelector('html.dark-mode #operations-Service-ping');
  t.is(await dark.page.evaluate(background), 'rgb(28, 32, 34)');
  await dark.page.emulateMedia({ colorScheme: 'light' });
  await dark.page.waitForSelector('html:not(.dark-mode)');
  t.deepEqual(dark.wrong, []);
});
