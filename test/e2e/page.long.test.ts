import { readFileSync } from 'node:fs';
import test from 'ava';
import type { Page } from 'playwright-core';
import { moreCases } from '../support/cases.js';
import { goTo, isOpenToAll, labelsOf, logIn, type } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';
import { root } from '../support/service/service.js';
import { until } from '../support/until.js';

const rules = [
  {
    name: 'boiler too hot',
    database: 'plant',
    table: 'boilers',
    column: 'temp',
    comparison: '>',
    threshold: 90,
    severity: 'critical',
    element: '{boiler}',
    title: 'Boiler {boiler} is too hot',
    description: 'Open the valve.',
    resolve: false,
  },
];

const { inBrowser, service, open, logInAndSee } = await pageWorld(
  test,
  '--monitor.slowStatement=1ms',
  `--events.rules=${JSON.stringify(rules)}`,
);

const drawnColours = `(() => {
  const seen = new Set();
  for (const canvas of document.querySelectorAll('.uplot canvas')) {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255) seen.add([data[at], data[at + 1], data[at + 2]].join());
    }
  }
  return [...seen];
})()`;

/** Whether these colours are in the pictures. */
async function areDrawn(page: Page, colours: readonly string[]): Promise<boolean> {
  const seen: string[] = await page.evaluate(drawnColours);
  return colours.every((colour) => seen.includes(colour));
}

/** Writes a temperature that breaks the rule. */
function overheat(boiler: string) {
  return service().write(`boilers,boiler=${boiler} temp=93.5`, { db: 'plant' });
}

const eventOf = (boiler: string): string => `.event:has(h2:text-is("Boiler ${boiler} is too hot"))`;

inBrowser('somebody sees an event arrive, takes it and closes it with a word', async (t) => {
  const { page, wrong } = await open(t);
  // What is there when the page is opened is not new.
  const watched = page.waitForResponse((response) => response.url().includes('status=active&pageSize=20'));
  await logIn(page);
  await watched;
  t.is((await overheat('b7')).status, 204);
  await page.waitForSelector(`.toast >> text=New critical event: Boiler b7 is too hot`);
  const event = page.locator(eventOf('b7'));
  await event.waitFor();
  t.is(await event.locator('.status').textContent(), 'active');
  t.true(await page.locator('.badge').isVisible());

  await event.getByRole('button', { name: 'Acknowledge' }).click();
  await event.locator('.status:text-is("acknowledged")').waitFor();
  t.is(await event.getByRole('button', { name: 'Acknowledge' }).count(), 0);
  await event.locator('summary').click();
  const facts = await event.locator('.facts').textContent();
  t.regex(facts ?? '', /boiler too hot.*93\.5.*90.*Acknowledgedroot/s);

  await event.getByRole('button', { name: 'Resolve' }).click();
  await page.fill('#comment', 'Opened <the> valve.');
  await page.click('dialog button[type=submit]');
  await event.waitFor({ state: 'detached' });
  await page.selectOption('#status', 'resolved');
  await event.waitFor();
  await event.locator('summary').click();
  t.regex((await event.locator('.facts').textContent()) ?? '', /Resolvedroot.*CommentOpened <the> valve\./s);
  const { text } = await service().request({ method: 'GET', path: '/api/v1/events?status=resolved&elementId=b7' });
  t.regex(text, /"comment":"Opened \\u003cthe\\u003e valve\."/);
  t.deepEqual(wrong, []);
});

inBrowser('events are filtered by element, and what does not match is not there', async (t) => {
  const { page } = await logInAndSee(t);
  await overheat('f1');
  await overheat('f2');
  await page.waitForSelector(eventOf('f1'));
  await page.waitForSelector(eventOf('f2'));
  await page.fill('#element', 'f2');
  await page.waitForSelector(eventOf('f1'), { state: 'detached' });
  t.is(await page.locator('.event').count(), 1);
  await page.selectOption('#severity', 'info');
  await page.waitForSelector('.empty >> text=No event matches.');
});

inBrowser('the values that an event is about are drawn from it', async (t) => {
  const { page, wrong } = await logInAndSee(t);
  await overheat("o'd1");
  const event = page.locator(`.event:has-text("o'd1")`);
  await event.locator('summary').click();
  await event.getByRole('button', { name: 'Draw the values around it' }).click();
  await page.waitForSelector('.uplot canvas');
  t.deepEqual(await page.locator('.rows tbody td.number').allTextContents(), ['93.5']);
  t.regex(await page.evaluate('location.hash'), /^#query\?/);
  t.deepEqual(wrong, []);
});

inBrowser('everything can be done by keys', async (t) => {
  const { page } = await open(t);
  await overheat('k1');
  await page.keyboard.type(root.user);
  await page.keyboard.press('Tab');
  await page.keyboard.type(root.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector(eventOf('k1'));
  await page.focus(`${eventOf('k1')} summary`);
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${eventOf('k1')} .facts`);
  await page.keyboard.press('Tab');
  await page.waitForSelector('button:focus >> text=Draw the values around it');
  await page.keyboard.press('Tab');
  await page.waitForSelector('button:focus >> text=Acknowledge');
  await page.keyboard.press('Enter');
  await page.waitForSelector(`${eventOf('k1')} .status:text-is("acknowledged")`);
  await page.waitForSelector('button:focus >> text=Resolve…');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'hidden' });
  t.is(await page.evaluate('document.activeElement.textContent'), 'Resolve…');
  await page.keyboard.press('Enter');
  await page.keyboard.type('done');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector(eventOf('k1'), { state: 'detached' });
});

inBrowser('a wrong password is said, and the right one lets in', async (t) => {
  const { page, wrong } = await open(t);
  await logIn(page, { user: 'root', password: 'wrong' });
  await page.waitForSelector('[role=alert] >> text=The user name or the password is wrong.');
  t.is(await page.evaluate('document.activeElement.id'), 'password');
  await logIn(page);
  await page.waitForSelector('nav');
  t.is(await page.evaluate('localStorage.length + document.cookie.length'), 0);
  await page.reload();
  await page.waitForSelector('nav');
  await page.click('text=Log out');
  await page.waitForSelector('#password');
  t.is(await page.evaluate('sessionStorage.getItem("sluice.session")'), null);
  t.deepEqual(wrong, []);
});

inBrowser('somebody whose password changes is asked again', async (t) => {
  await service().run("CREATE USER ann PASS 'firstPass1!'");
  const { page } = await open(t);
  await logIn(page, { user: 'ann', password: 'firstPass1!' });
  await page.waitForSelector('nav a[href="#statements"]', { state: 'hidden' });
  await page.click('text=Rules and notifications');
  await page.waitForSelector('.empty >> text=Only administrators');
  await goTo(page, 'Health');
  await service().run("ALTER USER ann PASS 'otherPass1!'");
  await page.waitForSelector('.message >> text=You are no longer let in');
  t.pass();
});

inBrowser('a query is drawn and listed, with each tag a line of its own', async (t) => {
  const minute = 60_000_000_000n;
  const begin = 1_700_000_000_000_000_000n;
  const cities = ['lima', 'oslo', 'rome'];
  const lines = Array.from({ length: 90 }, (_, at) => {
    const city = cities[at % 3];
    return `weather,city=${city} temp=${at % 7},n=${9007199254740993n + BigInt(at)}i ${begin + BigInt(at) * minute}`;
  });
  await service().write(lines.join('\n'), { db: 'sky' });
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Query');
  await page.waitForSelector('#database option[value=sky]', { state: 'attached' });
  await page.selectOption('#database', 'sky');
  await type(page, 'SELECT _ts, city, temp FROM weather');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.uplot canvas');
  t.is(await page.locator('.rows tbody tr').count(), 90);
  t.regex((await page.locator('.outcome').textContent()) ?? '', /^90 rows in /);
  t.deepEqual(await labelsOf(page), ['Time', ...cities]);
  t.true(
    await until(() => areDrawn(page, ['11,122,117', '194,87,26', '90,79,207']), 60_000),
    'three lines of three colours',
  );

  await type(page, 'SELECT n FROM weather ORDER BY n LIMIT 1');
  await page.click('form.query button[type=submit]');
  await page.waitForSelector('.outcome >> text=/^1 row in /');
  await page.waitForSelector('.rows td >> text=9007199254740993');
  t.is(await page.locator('.uplot').count(), 0);
  await type(page, 'SELECT tempo\nFROM weather');
  await page.click('form.query button[type=submit]');
  await page.waitForSelector('.outcome.error >> text=did you mean temp?');
  t.is(await page.locator('.cm-lintRange-error').textContent(), 'tempo');
  t.is(await page.locator('.rows').count(), 0);
  t.deepEqual(wrong, []);
});

inBrowser('the likeliest first plots are right: scraped labels, and meters by a group that is a number', async (t) => {
  await service().run('CREATE DATABASE IF NOT EXISTS first');
  await service().run('CREATE STABLE first.cpu (ts TIMESTAMP, v DOUBLE) TAGS (labels JSON)');
  await service().run('CREATE STABLE first.meters (ts TIMESTAMP, current FLOAT) TAGS (groupid INT)');
  const rows = (offset: number) =>
    Array.from({ length: 50 }, (_, at) => `(${1_700_000_000_000 + at * 1000}, ${offset + (at % 5)})`).join(' ');
  for (const cpu of [0, 1]) {
    const labels = JSON.stringify({ __name__: 'node_cpu', cpu: String(cpu) });
    await service().run(`INSERT INTO first.c${cpu} USING first.cpu TAGS ('${labels}') VALUES ${rows(cpu * 100)}`);
    await service().run(`INSERT INTO first.d${cpu} USING first.meters TAGS (${cpu + 9}) VALUES ${rows(cpu * 100)}`);
  }
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Query');
  await type(
    page,
    'SELECT * FROM first.cpu;SELECT _wstart, groupid, AVG(current) FROM first.meters PARTITION BY groupid INTERVAL(1s)',
  );
  await page.keyboard.press('Control+Enter');
  await page.locator('.uplot canvas').nth(1).waitFor();
  const time = 'Time';
  t.deepEqual(await labelsOf(page), [time, 'cpu=0', 'cpu=1', time, 'groupid=9', 'groupid=10']);
  t.true(await until(() => areDrawn(page, ['11,122,117', '194,87,26']), 60_000), 'two lines of two colours');
  t.deepEqual(wrong, []);
});

inBrowser('a table is found by its column, its newest rows are shown, saved, and opened again by a link', async (t) => {
  await service().run('CREATE DATABASE IF NOT EXISTS finding');
  for (const name of ['alpha', 'beta'])
    await service().run(`CREATE TABLE finding.${name} (at TIMESTAMP, only_${name} INT)`);
  const values = Array.from({ length: 1200 }, (_, at) => `(${1_700_000_000_000 + at * 1000}, ${at})`).join(' ');
  await service().run(`INSERT INTO finding.beta VALUES ${values}`);
  const { page, wrong } = await logInAndSee(t);
  await goTo(page, 'Query');
  await page.waitForSelector('#database option[value=finding]', { state: 'attached' });
  await page.selectOption('#database', 'finding');
  await page.waitForSelector('.tree summary >> text=alpha');
  await page.fill('#search', 'only_bet');
  await page.waitForSelector('.tree summary >> text=alpha', { state: 'detached' });
  await page.click('.tree summary >> text=beta');
  await page.waitForSelector('.tree button.name >> text=only_beta');
  await page.click('text=Newest rows');
  await page.waitForSelector('.rows tbody td.number >> text="1199"');
  const saved = page.waitForEvent('download');
  await page.click('text=Download CSV');
  const path = await (await saved).path();
  const csv = readFileSync(path, 'utf8').split('\r\n');
  t.deepEqual([csv.length, csv[0]], [1002, 'at,only_beta']);
  t.regex(csv[1] ?? '', /,1199$/);

  const link: string = await page.evaluate('location.hash');
  await page.click('text=History');
  await page.waitForSelector('.past button.name >> text=finding');
  const other = await open(t, `/${link}`);
  await logIn(other.page);
  await other.page.waitForSelector('.rows tbody td.number >> text="1199"');
  // A link never runs what changes something.
  const harmful = await open(t, '/#query?q=DROP+DATABASE+finding');
  await logIn(harmful.page);
  await harmful.page.waitForSelector('.cm-content >> text=DROP DATABASE finding');
  t.is(await harmful.page.locator('.outcome').count(), 0);
  t.deepEqual([...wrong, ...other.wrong, ...harmful.wrong], []);
});

inBrowser('rules are listed, tried on the data that is there, and read again', async (t) => {
  await overheat('r1');
  const { page, wrong } = await logInAndSee(t);
  await page.click('text=Rules and notifications');
  await page.waitForSelector('.rule.critical >> text=temp > 90');
  await page.click('[aria-label="Try: boiler too hot"]');
  await page.waitForSelector('.found strong >> text=Boiler r1 is too hot');
  t.regex(await page.inputValue('#rule'), /^\[\[events\.rules\]\]\nname = "boiler too hot"/);
  await page.fill('#rule', 'name = "x"');
  await page.click('form.panel button[type=submit]');
  await page.waitForSelector('.error >> text=database is not set');
  await page.click('text=Reload rules');
  await page.waitForSelector('[role=status] >> text=1 rule; nothing has changed.');
  await page.waitForSelector('text=Nobody is notified. Set notify.webhook');
  t.deepEqual(wrong, []);
});

inBrowser('inputs, health and slow statements are shown as they are', async (t) => {
  const { page, wrong } = await logInAndSee(t);
  await service().write('m v=1\nbad', { db: 'plant' });
  await goTo(page, 'Inputs');
  await page.waitForSelector('.input:has-text("Line protocol") >> text=/[1-9]\\d* rejected/');
  await page.waitForSelector('th >> text=POST /lineproto/v1/write');
  await page.waitForSelector('.totals div:has(dt:text-is("HTTP connections")) dd:text-matches("^[1-9]")');
  await goTo(page, 'Health');
  await page.waitForSelector('.guard >> text=Normal');
  await page.waitForSelector('dd >> text=80 %');
  await page.waitForSelector('.totals div:has(dt:text-is("memory of the database")) dd:text-matches("^[1-9].* MB$")');
  await page.waitForSelector('.totals div:has(dt:text-matches("^free disk")) dd:text-matches("B$")');
  await page.waitForSelector('.totals div:has(dt:text-is("age of the oldest queued row"))');
  await page.waitForSelector('.uplot canvas');
  await service().run("CREATE USER carl PASS 'secretPass1!'");
  await goTo(page, 'Statements');
  await page.waitForSelector("pre >> text=CREATE USER carl PASS '******'");
  t.notRegex((await page.textContent('body')) ?? '', /secretPass1/);

  // What the page asks for itself is hidden at first.
  await goTo(page, 'Query');
  await page.waitForSelector('#database option[value=plant]', { state: 'attached' });
  await goTo(page, 'Statements');
  await page.waitForSelector('text=/Show the queries of this page \\([1-9]/');
  t.is(await page.locator('pre >> text=SHOW DATABASES').count(), 0);
  await page.check('text=Show the queries of this page');
  await page.waitForSelector('pre >> text=/^SHOW DATABASES$/');
  t.deepEqual(wrong, []);
});

const phone = { width: 390, height: 844 };
const looks = [
  ['on a phone in dark colours', 'dark', phone],
  ['on a desk', 'light', { width: 1280, height: 800 }],
  ['on a phone', 'light', phone],
] as const;
for (const [name, colorScheme, viewport] of looks.slice(0, moreCases(2, looks.length))) {
  inBrowser(`no view has a barrier for anybody ${name}`, async (t) => {
    await overheat(`a-${colorScheme}-${viewport.width}`);
    const { page } = await open(t, '/', { colorScheme, viewport, reducedMotion: 'reduce' });
    const look = (name: string): Promise<void> => isOpenToAll(t, page, name);
    await logIn(page, { user: 'root', password: 'wrong' });
    await page.waitForSelector('.message:not(:empty)');
    await look('log in');
    await logIn(page);
    await page.waitForSelector(eventOf(`a-${colorScheme}-${viewport.width}`));
    await page.click(`${eventOf(`a-${colorScheme}-${viewport.width}`)} summary`);
    await look('events');
    await page
      .locator(eventOf(`a-${colorScheme}-${viewport.width}`))
      .getByRole('button', { name: 'Resolve' })
      .click();
    await look('resolve');
    await page.keyboard.press('Escape');
    await page.click('text=Rules and notifications');
    await page.waitForSelector('.rule');
    await page.click('.rule summary');
    await look('rules');
    await goTo(page, 'Inputs');
    await page.waitForSelector('.input');
    await look('inputs');
    await goTo(page, 'Health');
    await page.waitForSelector('.uplot canvas');
    await look('health');
    await goTo(page, 'Statements');
    await page.waitForSelector('.statement');
    await look('statements');
    await goTo(page, 'Query');
    await page.waitForSelector('.cm-placeholder');
    await look('empty query');
    await type(page, 'SELECT _ts, boiler, temp FROM plant.boilers');
    await page.click('form.query button[type=submit]');
    await page.waitForSelector('.uplot canvas');
    await look('query');
  });
}
