import test from 'ava';
import { goTo, logIn } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';

/** How the page uses the screen, and what it leaves in the console of the browser. */
const { inBrowser, service, open, logInAndSee } = await pageWorld(test);

inBrowser('views of data are as wide as the screen, and the box of rows is as high as the window', async (t) => {
  await service().run('CREATE DATABASE rows');
  await service().run('CREATE TABLE rows.many (ts TIMESTAMP, v INT)');
  const rows = Array.from({ length: 300 }, (_, at) => `(${1_700_000_000_000 + at}, ${at})`).join(' ');
  await service().run(`INSERT INTO rows.many VALUES ${rows}`);
  const query = `/#query?${new URLSearchParams({ q: 'SELECT v FROM rows.many' })}`;
  const { page } = await logInAndSee(t, query, { viewport: { width: 2560, height: 1000 } });
  await page.waitForSelector('.rows tbody tr');
  const box = async (selector: string) =>
    (await page.locator(selector).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  t.true((await box('main')).width > 2500);
  t.true((await box('.scroller')).width > 1900);
  const { height } = await box('.scroller');
  t.true(height > 800 && height < 1000, `${height}`);
  await page.setViewportSize({ width: 2560, height: 1400 });
  t.is(Math.round((await box('.scroller')).height - height), 400);
  // Text is not.
  await page.click('footer >> text=First steps');
  await page.waitForSelector('h1 >> text=Start');
  t.true((await box('main')).width < 1300);
});

inBrowser('a selection of coloured words is typed over without styles that the page forbids', async (t) => {
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Query');
  await page.focus('#statement');
  await page.keyboard.type('SELECT tempo FROM nothing');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.outcome.error');
  await page.focus('#statement');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('SELECT 1');
  await page.keyboard.press('Escape');
  t.is(await page.locator('#statement').textContent(), 'SELECT 1');
  await page.keyboard.press('Shift+Home');
  await page.keyboard.type('(');
  await page.keyboard.press('Escape');
  t.is(await page.locator('#statement').textContent(), '(SELECT 1)', 'a bracket goes around what is selected');
  t.deepEqual(wrong, []);
});

inBrowser('the first view weighs less than 250 KB, and the other views come when they are opened', async (t) => {
  const { page, wrong } = await open(t, '/page/icon.svg');
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const files = new Map<string, string>();
  const sizes = new Map<string, number>();
  network.on('Network.responseReceived', ({ requestId, response }) => files.set(requestId, response.url));
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    // What polls repeat counts once.
    sizes.set(files.get(requestId) ?? requestId, encodedDataLength);
  });
  const metrics = page.waitForResponse((response) => response.url().endsWith('/metrics'));
  await page.goto(`http://127.0.0.1:${service().port}/`);
  await logIn(page);
  await page.waitForSelector('h1 >> text=Events');
  await (await metrics).finished();
  await page.waitForSelector('nav a[href="#statements"]:not([hidden])');
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  t.true(bytes > 50_000 && bytes < 250_000, `${bytes} bytes`);
  for (const name of ['Explore', 'Query', 'Inputs', 'Health', 'Events']) await goTo(page, name);
  t.deepEqual(wrong, []);
});

inBrowser('an ordinary user logs in without a request that is refused', async (t) => {
  await service().run("CREATE USER eva PASS 'evaPass1!'");
  const { page, wrong } = await open(t);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await logIn(page, { user: 'eva', password: 'evaPass1!' });
  await page.waitForSelector('nav a[href="#statements"]', { state: 'hidden' });
  t.deepEqual(refused, []);
  t.deepEqual(wrong, []);
});
