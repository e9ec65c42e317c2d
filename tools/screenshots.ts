import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, visit } from '../test/support/page/browser.js';
import { goTo, logIn } from '../test/support/page/page.js';
import { startService, type TestService } from '../test/support/service/service.js';

/** Pictures of the page for the documents, by file name: what is done before each is taken. */
export const screenshots: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'page.png': async (page) => {
    await page.click('nav >> text=Events');
    await page.locator('.event summary').first().click();
  },
  'page-explore.png': async (page) => {
    await goTo(page, 'Explore');
    await page.waitForSelector('#explore-database option[value=plant]', { state: 'attached' });
    await page.selectOption('#explore-database', 'plant');
    await page.fill('#metric', 'ovens');
    await page.press('#metric', 'Tab');
    await page.waitForSelector('.uplot canvas');
    await page.click('h1');
  },
  'page-query.png': async (page) => {
    const statement =
      'SELECT _wstart, site, AVG(temperature) FROM plant.ovens\nWHERE _rowts BETWEEN $from AND $to\nPARTITION BY site INTERVAL(1m)';
    await page.evaluate(
      `location.hash = '#query?' + new URLSearchParams({ q: ${JSON.stringify(statement)}, db: 'plant' })`,
    );
    await page.waitForSelector('.uplot canvas');
    await page.waitForSelector('.tree summary >> text=ovens');
    await page.click('.tree summary >> text=ovens');
    await page.waitForSelector('.tree button.name >> text=temperature');
  },
  'page-rules.png': async (page) => {
    await page.click('nav >> text=Events');
    await page.click('text=Rules and notifications');
    await page.click('[aria-label="Try: oven too hot"]');
    await page.waitForSelector('.found strong');
    await page.evaluate('scrollTo(0, 0)');
  },
  'page-health.png': async (page) => {
    await goTo(page, 'Health');
    await page.waitForSelector('.uplot canvas');
  },
};

const rules = [
  {
    name: 'oven too hot',
    database: 'plant',
    table: 'ovens',
    column: 'temperature',
    comparison: '>',
    threshold: 80,
    for: '30s',
    severity: 'critical',
    description: 'Open the door. Then call the shift.',
  },
  { name: 'oven silent', database: 'plant', table: 'ovens', absence: '5m' },
];

/** An hour of four ovens until now, one of which has become too hot. */
async function writeOvens(service: TestService): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const ovens = ['north', 'south'].flatMap((site, at) =>
    [1, 2].map((line) => ({ site, line, base: 58 + 4 * at + line })),
  );
  const lines = ovens.flatMap(({ site, line, base }, nth) =>
    Array.from({ length: 360 }, (_, at) => {
      const wave = 6 * Math.sin((at + nth * 40) / 28) + ((at * 7 + nth * 3) % 5) / 3;
      const heat = nth === 1 && at > 300 ? (at - 300) / 2 : 0;
      const power = 2 + nth / 4 + wave / 20;
      return `ovens,site=${site},line=${line} temperature=${(base + wave + heat).toFixed(2)},power=${power.toFixed(3)} ${now - (359 - at) * 10}`;
    }),
  );
  await service.run('CREATE DATABASE plant');
  const { status, text } = await service.write(lines.join('\n'), { db: 'plant', precision: 's', ack: 'stored' });
  if (status !== 204) throw new Error(text);
}

/** Takes every picture anew and writes it into a folder. */
export async function takeScreenshots(folder: string): Promise<void> {
  const { service, end } = await startService(`--events.rules=${JSON.stringify(rules)}`);
  const browser = await launchBrowser();
  try {
    await writeOvens(service);
    const look = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;
    const { page } = await visit(browser, service.port, '/', look);
    await logIn(page);
    await page.waitForSelector('.event');
    for (const [name, prepare] of Object.entries(screenshots)) {
      await prepare(page);
      // Two turns of the page's own clock, so that what it draws is there.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      await page.screenshot({ path: join(folder, name), fullPage: false });
    }
  } finally {
    await browser.close();
    await end();
  }
}
