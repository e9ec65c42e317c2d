import test from 'ava';
import { eventsSoon } from '../support/events/events.js';
import { isOpenToAll, logIn } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';

const ofFile = { name: 'of the file', database: 'plant', table: 'fans', column: 'rpm', comparison: '<', threshold: 10 };

/** What administrators do with rules on the page. */
const { inBrowser, service, open, logInAndSee } = await pageWorld(test, `--events.rules=${JSON.stringify([ofFile])}`);

const row = (name: string): string => `.rule:has(strong:text-is("${name}"))`;
const ovens = (threshold: number): string =>
  `name = "ovens"\ndatabase = "plant"\ntable = "ovens"\ncolumn = "temp"\ncomparison = ">"\nthreshold = ${threshold}`;

inBrowser('a rule is written, tried, saved, changed, silenced and deleted on the page', async (t) => {
  await service().write('ovens,site=a temp=95', { db: 'plant', ack: 'stored' });
  const { page, wrong } = await logInAndSee(t, '/#rules');
  await page.waitForSelector(row('of the file'));
  // What the settings file has can be tried and silenced, and not changed.
  t.deepEqual(await page.locator(`${row('of the file')} button:visible`).allInnerTexts(), ['Try']);
  t.is((await page.locator(`${row('of the file')} >> text=settings file`).count()) > 0, true);

  await page.click('button:text-is("PromQL")');
  t.regex(await page.inputValue('#rule'), /^name = "few loaves"\n.*promql = /s);
  await page.fill('#rule', ovens(90));
  await page.click('form.panel button[type=submit]');
  await page.waitForSelector('.found strong >> text=ovens temp of site=a is > 90');
  await page.waitForSelector('text=It would make 1 event now:');
  await service().write('ovens,site=a temp=85', { db: 'plant', ack: 'stored' });
  await page.click('form.panel button[type=submit]');
  await page.waitForSelector('text=It would find nothing now.');
  await page.waitForSelector('text=1 event earlier in that time, over by now:');
  await page.waitForSelector('.found strong >> text=ovens temp of site=a is > 90');
  await page.click('button:text-is("Save rule")');
  await page.waitForSelector('[role=status] >> text=The rule ovens is saved.');
  await page.waitForSelector(`${row('ovens')} >> text=temp > 90`);
  await page.waitForSelector(`${row('ovens')} >> text=saved by root`);
  await service().write('ovens,site=b temp=99', { db: 'plant', ack: 'stored' });
  await eventsSoon(service(), (events) =>
    events.some(({ rule, elementId }) => rule === 'ovens' && elementId === 'site=b'),
  );

  await page.reload();
  await page.click('[aria-label="Change: ovens"]');
  await page.waitForSelector('h2 >> text=Change the rule ovens');
  t.is(await page.inputValue('#rule'), ovens(90));
  await page.fill('#rule', ovens(70));
  await page.click('button:text-is("Save changes")');
  await page.waitForSelector('[role=status] >> text=The rule ovens is changed.');
  await page.waitForSelector(`${row('ovens')} >> text=temp > 70`);
  // The next change is one of the version that was just saved.
  await page.click('[aria-label="Change: ovens"]');
  await page.fill('#rule', ovens(75));
  await page.click('button:text-is("Save changes")');
  await page.waitForSelector(`${row('ovens')} >> text=temp > 75`);

  await page.click(`${row('ovens')} summary:text-is("Silence")`);
  await page.selectOption(`${row('ovens')} select`, '4 hours');
  await page.fill(`${row('ovens')} input`, 'new door');
  await isOpenToAll(t, page, 'rules');
  await page.click('[aria-label="Silence: ovens"]');
  await page.waitForSelector(`${row('ovens')} .silence >> text=/^Silenced until .* by root: new door/`);
  await page.click('[aria-label="End silence: ovens"]');
  await page.waitForSelector('[role=status] >> text=The rule ovens sends notifications again.');
  await page.waitForSelector(`${row('ovens')} .silence`, { state: 'detached' });

  await page.click(`${row('ovens')} summary:text-is("Delete")`);
  await page.click('[aria-label="Delete: ovens"]');
  await page.waitForSelector('[role=status] >> text=The rule ovens is deleted.');
  await page.waitForSelector(row('ovens'), { state: 'detached' });
  await page.waitForSelector('h2 >> text=New rule');
  t.deepEqual(wrong, []);
});

inBrowser('a rule that is wrong, or that somebody else has changed, is refused where people look', async (t) => {
  const { page } = await logInAndSee(t, '/#rules', { viewport: { width: 390, height: 844 } });
  await page.fill('#rule', 'name = "x"');
  await page.click('button:text-is("Save rule")');
  await page.waitForSelector('form .error >> text=database is not set');
  await page.fill('#rule', ovens(60));
  await page.click('button:text-is("Save rule")');
  await page.waitForSelector(row('ovens'));
  await page.click('[aria-label="Change: ovens"]');
  const list = await service().request({ method: 'GET', path: '/api/v1/rules' });
  const { records }: { records: readonly { name: string; stored: { id: string } | null }[] } = JSON.parse(list.text);
  const id = records.find(({ name }) => name === 'ovens')?.stored?.id;
  const other = await service().request({ method: 'PUT', path: `/api/v1/rules/${id}?version=1`, body: ovens(50) });
  t.is(other.status, 200, other.text);
  await page.fill('#rule', ovens(40));
  await page.click('button:text-is("Save changes")');
  await page.waitForSelector('form .error >> text=/has version 2 by now/');
  t.is(await page.inputValue('#rule'), ovens(40));
  await isOpenToAll(t, page, 'rules on a phone');
});

inBrowser('a rule that is written after another one was saved is a new rule; a new name is announced', async (t) => {
  const { page, wrong } = await logInAndSee(t, '/#rules');
  const named = (name: string): string => ovens(90).replace('"ovens"', `"${name}"`);
  await page.fill('#rule', named('r1'));
  await page.click('button:text-is("Save rule")');
  await page.waitForSelector('[role=status] >> text=The rule r1 is saved.');
  t.is(await page.inputValue('#rule'), '');
  await page.waitForSelector('h2:text-is("New rule")');
  await page.fill('#rule', named('r2'));
  await page.click('form.panel button.primary');
  await page.waitForSelector('[role=status] >> text=The rule r2 is saved.');
  await page.waitForSelector(row('r1'));
  await page.waitForSelector(row('r2'));

  await page.click('[aria-label="Change: r2"]');
  await page.fill('#rule', named('r3'));
  await page.click('button:text-is("Rename r2, and save")');
  await page.waitForSelector('[role=status] >> text=The rule r2 is renamed to r3.');
  await page.waitForSelector(row('r3'));
  t.is(await page.locator(row('r2')).count(), 0);
  t.is(await page.locator(row('r1')).count(), 1);
  t.deepEqual(wrong, []);
});

inBrowser('users who are no administrators see no rules', async (t) => {
  await service().run("CREATE USER carl PASS 'carlsPass1!'");
  const { page } = await open(t, '/#rules');
  await logIn(page, { user: 'carl', password: 'carlsPass1!' });
  await page.waitForSelector('text=Only administrators see the rules.');
  t.is(await page.locator('#rule:visible').count(), 0);
});
