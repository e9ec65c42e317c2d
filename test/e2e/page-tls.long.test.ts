import test from 'ava';
import { certificates, tlsArguments } from '../support/certificates.js';
import { launchBrowser, noBrowser, visit } from '../support/page/browser.js';
import { goTo, logIn, type } from '../support/page/page.js';
import { startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';

test('people log in and query over TLS', async (t) => {
  if (noBrowser !== undefined) return skipped(t, noBrowser);
  const { make, remove } = certificates();
  t.teardown(remove);
  const certificate = make('page');
  if (certificate === undefined) return skipped(t, 'there is no openssl to make a certificate with');
  const { service, end } = await startService(...tlsArguments(certificate), '--ssl.plainHttp=off');
  t.teardown(end);
  const browser = await launchBrowser();
  t.teardown(() => browser.close());
  const { page, wrong, close } = await visit(browser, service.port, '/', { ignoreHTTPSErrors: true });
  await logIn(page);
  await goTo(page, 'Query');
  await type(page, 'SELECT 40 + 2');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.outcome >> text=/^1 row in /');
  await page.waitForSelector('.rows td >> text=42');
  t.deepEqual(wrong, []);
  await close();
});
