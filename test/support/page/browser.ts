import { existsSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { keepPlots } from './plots.js';

const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** How long a test waits for something on a page: more than anything takes, also on a busy machine. */
let limitMs = 30_000;
/** The same once a test has failed. */
const hastyMs = 5_000;

/** Why there is no browser to test with, or undefined when there is one. */
export const noBrowser: string | undefined = existsSync(program)
  ? undefined
  : `${program} is not installed (see .ci/install-agents).`;

/** A headless Chromium that talks to nobody but the service. */
export function launchBrowser(): Promise<Browser> {
  const quiet = ['--disable-quic', '--no-first-run', '--disable-background-networking'];
  const lean = ['--disable-component-update', '--disable-sync', '--disable-gpu', '--disable-dev-shm-usage'];
  // The sandbox does not work for root, as whom tests run in containers.
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', ...quiet, ...lean], timeout: limitMs });
}

/** Runs after each test: what one that has failed waited for in vain most of the next ones lack as well, so they wait less. */
export function waitLess({ passed }: ExecutionContext): void {
  if (!passed) limitMs = hastyMs;
}

/** A page of a new visitor, and all that went wrong in it. */
export interface Visit {
  readonly page: Page;
  /** Exceptions, refusals of the content security policy, and requests to other hosts. */
  readonly wrong: readonly string[];
  close(): Promise<void>;
}

/** Opens a page of the service for a visitor who has not been there; over TLS for one who takes any certificate. */
export async function visit(
  browser: Browser,
  port: number,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ timezoneId: 'Europe/Oslo', locale: 'en-GB', ...options });
  context.setDefaultTimeout(limitMs);
  await context.addInitScript(keepPlots);
  const page = await context.newPage();
  const wrong: string[] = [];
  const host = `${options.ignoreHTTPSErrors === true ? 'https' : 'http'}://127.0.0.1:${port}/`;
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Uncaught/i.test(message.text())) wrong.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(host) && !request.url().startsWith('data:')) wrong.push(request.url());
  });
  await page.goto(`${host}${path.slice(1)}`);
  return { page, wrong, close: () => context.close() };
}

/** What keeps people with impairments from using a page as it is now, one line each. */
export async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const results: axe.AxeResults = await page.evaluate('axe.run(document)');
  return results.violations.map(({ id, impact, help, nodes }) => `${impact} ${id}: ${help}: ${nodes[0]?.html}`);
}
