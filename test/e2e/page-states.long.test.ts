import test from 'ava';
import { goTo, logIn } from '../support/page/page.js';
import { pageWorld } from '../support/page/page-service.js';
import { directoryFor, startAdapter, startEngineHost } from '../support/service/processes.js';
import { startInProcess } from '../support/service/service-in-process.js';

/** What the page says of a service that cannot do all that it should, and the page of the interfaces. */
const { inBrowser, open } = await pageWorld(test);

inBrowser('an outage of the database is told, at the input and inside, and so is its end', async (t) => {
  const path = directoryFor(t);
  const engine = await startEngineHost(t, [`--path=${path}`, '--password=away']);
  const adapter = await startAdapter(t, [
    '--database.mode=cluster',
    `--database.urls=http://127.0.0.1:${engine.port}`,
    '--database.password=away',
  ]);
  const inside = await open(t, '/', {}, adapter.port);
  await logIn(inside.page);
  await inside.page.waitForSelector('.pill.good >> text=running');
  engine.child.kill('SIGKILL');
  await engine.ended;
  await inside.page.waitForSelector('.banner >> text=The database is not answering.');
  await inside.page.waitForSelector('.pill.bad >> text=database down');
  const outside = await open(t, '/', {}, adapter.port);
  await logIn(outside.page);
  await outside.page.waitForSelector('.message.warn >> text=The database is not answering, so you cannot log in');

  await startEngineHost(t, [`--path=${path}`, '--password=away', `--port=${engine.port}`]);
  await inside.page.waitForSelector('.banner', { state: 'hidden' });
  await inside.page.waitForSelector('.pill.good');
  await outside.page.waitForSelector('nav');
  adapter.child.kill('SIGKILL');
  await inside.page.waitForSelector('.banner >> text=The service cannot be reached.');
  t.deepEqual([...inside.wrong, ...outside.wrong], []);
});

inBrowser('what the memory guard does is told, at the input and inside', async (t) => {
  let percent = 10;
  const watched = await startInProcess({ readMemoryPercent: () => percent }, '--monitor.collectDuration=50ms');
  t.teardown(() => watched.end());
  const { page, wrong } = await open(t, '/', {}, watched.service.port);
  await logIn(page);
  await goTo(page, 'Health');
  await page.waitForSelector('.guard.good >> text=Normal');
  percent = 75;
  await page.waitForSelector('.banner.warn >> text=queries are refused, writes go on');
  await page.waitForSelector('.guard.warn >> text=Queries paused');
  percent = 90;
  await page.waitForSelector('.banner.bad >> text=queries and writes are refused');
  await page.waitForSelector('.guard.bad >> text=Everything paused');
  const other = await open(t, '/', {}, watched.service.port);
  await logIn(other.page);
  await other.page.waitForSelector('.message.warn >> text=The service is short of memory');
  percent = 10;
  await page.waitForSelector('.banner', { state: 'hidden' });
  await other.page.waitForSelector('nav');
  t.deepEqual([...wrong, ...other.wrong], []);
});

inBrowser('the page of the interfaces lists them and tries them, offline', async (t) => {
  const { page, wrong } = await open(t, '/swagger-ui.html');
  await page.waitForSelector('#operations-Event_Resource-apiV1EventsGet');
  await page.click('#operations-Service-ping .opblock-summary-control');
  await page.click('#operations-Service-ping .try-out__btn');
  await page.click('#operations-Service-ping .execute');
  await page.waitForSelector('#operations-Service-ping .live-responses-table .response-col_status >> text=200');
  t.deepEqual(wrong, []);
});
