import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test, { type ExecutionContext } from 'ava';
import { keys, missing, type OtherBrowser, startFirefox, startWebkit } from '../support/page/web-driver.js';
import { startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';

/** The page in the engines of Firefox and Safari: the way of somebody who logs in, asks, explores and closes an event. */
const rules = [
  { name: 'input open too long', database: 'plant', table: 'inputs', column: 'open', comparison: '>', threshold: 80 },
];
const { service, end } = await startService('--smlAutoCreateDB=true', `--events.rules=${JSON.stringify(rules)}`);
test.after.always(end);

test.before(async () => {
  const now = Math.floor(Date.now() / 1000);
  const lines = Array.from(
    { length: 600 },
    (_, at) => `ovens,site=${at % 2 ? 'north' : 'south'} temp=${at % 100} ${now - 600 + at}`,
  );
  await service.write(lines.join('\n'), { db: 'plant', precision: 's' });
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a script in the page can use: waiting, finding by words, filling in. */
const helpers = `
  const until = async (probe, what) => {
    for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((go) => setTimeout(go, 20))) {
      const value = probe();
      if (value) return value;
    }
    throw new Error('It never came: ' + what + ' in ' + document.body.innerText);
  };
  const one = (selector) => document.querySelector(selector);
  const saying = (selector, words) => [...document.querySelectorAll(selector)].find((element) => element.textContent.includes(words));
  const fill = (selector, value) => {
    one(selector).value = value;
    for (const name of ['input', 'change']) one(selector).dispatchEvent(new Event(name, { bubbles: true }));
  };
  const labels = () => [...document.querySelectorAll('.u-legend .u-series .u-label')].map((label) => label.textContent).join();
  const colours = () => {
    const canvas = one('.uplot canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) seen.add(data.slice(at, at + 3).join());
    return seen.size;
  };`;

async function look(t: ExecutionContext, browser: OtherBrowser): Promise<void> {
  t.log(browser.name);
  const see = <T>(body: string): Promise<T> => browser.evaluate<T>(`${helpers}\n${body}`);
  const isOpenToAll = async (view: string): Promise<void> => {
    const violations = await see<string[]>(`${axe}
      return (await axe.run(document)).violations.map(({ id, nodes }) => id + ': ' + nodes[0].html);`);
    t.deepEqual(violations, [], view);
  };
  await browser.open(`http://127.0.0.1:${service.port}/`);
  await see(`window.wrong = [];
    addEventListener('error', ({ message }) => wrong.push(message));
    addEventListener('unhandledrejection', ({ reason }) => wrong.push(String(reason)));
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => wrong.push(violatedDirective));
    await until(() => one('#user'), 'the form');`);
  await browser.press('#user', 'root');
  await browser.press('#password', `taosdata${keys.enter}`);
  await see(`await until(() => saying('nav a', 'Query'), 'the views');`);

  await see(
    `saying('nav a', 'Query').click(); await until(() => one('#statement .cm-line, #statement'), 'the editor');`,
  );
  await browser.press(
    '#statement',
    'SELECT _wstart, site, MAX(temp) FROM plant.ovens WHERE _rowts BETWEEN $from AND $to ',
  );
  await browser.press('#statement', `PARTITION BY site INTERVAL(1m)${keys.control}${keys.enter}`);
  const query = await see<[string, number, number]>(`await until(() => one('.uplot canvas'), 'the plot');
    await until(() => one('.tree summary'), 'the tables');
    return [labels(), colours(), document.querySelectorAll('.cm-line span').length];`);
  t.is(query[0], 'Time,north,south');
  t.true(query[1] > 2, 'lines are drawn');
  t.true(query[2] > 5, 'words of the statement are coloured');
  await isOpenToAll('Query');

  const explore = await see<string>(`location.hash = '#explore';
    await until(() => one('#explore-database option[value=plant]'), 'the database');
    fill('#explore-database', 'plant');
    fill('#metric', 'ovens');
    await until(() => labels() === 'Time,north,south', 'the lines');
    return one('pre.sql').textContent;`);
  t.regex(explore, /AVG\(`temp`\) FROM `plant`\.`ovens`/);
  await isOpenToAll('Explore');

  await see(
    `location.hash = '#health'; await until(() => saying('h1', 'Health') && one('.uplot canvas'), 'the plots');`,
  );
  await isOpenToAll('Health');
  await service.write(`inputs,oven=${encodeURIComponent(browser.name)} open=93`, { db: 'plant' });
  await see(`location.hash = '#events';
    (await until(() => saying('.event button', 'Acknowledge'), 'an event')).click();
    await until(() => saying('.event .status', 'acknowledged'), 'its state');
    saying('.event button', 'Resolve').click();
    await until(() => one('dialog[open] #comment'), 'the dialogue');`);
  await browser.press('#comment', 'Opened the input.');
  await see(`one('dialog[open] button[type=submit]').click(); await until(() => !one('dialog[open]'), 'the end');`);
  // Browsers say so of any element that changes its size while it is measured; nothing is lost.
  const wrong = await see<string[]>(`return wrong.filter((text) => !text.startsWith('ResizeObserver loop'));`);
  t.deepEqual(wrong, []);
}

for (const [name, browser, start] of [
  ['Firefox', 'firefox', startFirefox],
  ['WebKit, the engine of Safari', 'webkit', startWebkit],
] as const) {
  test.serial(`the page works in ${name}`, async (t) => {
    const reason = missing(browser);
    if (reason === undefined) await look(t, await start(t));
    else skipped(t, reason);
  });
}
