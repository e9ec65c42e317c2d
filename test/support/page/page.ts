import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { root } from '../service/service.js';
import { barriers } from './browser.js';

/** What visitors of the page do. */

export async function logIn(page: Page, { user, password }: Credentials = root): Promise<void> {
  await page.fill('#user', user);
  await page.fill('#password', password);
  await page.click('button[type=submit]');
}

type Credentials = Readonly<Record<'user' | 'password', string>>;

/** Goes to a view by its link. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.click(`nav >> text=${name}`);
  await page.waitForSelector(`h1 >> text=${name}`);
}

/**
 * Writes a statement into the editor, which is emptied by its own keys: what a program puts over coloured words, the browser
 * gives inline styles, which are forbidden.
 */
export async function type(page: Page, statement: string): Promise<void> {
  await page.focus('#statement');
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.fill('#statement', statement);
  await page.keyboard.press('Escape');
}

/** Names of the lines of all plots, in order. */
export function labelsOf(page: Page): Promise<string[]> {
  return page.locator('.u-legend .u-series .u-label').allInnerTexts();
}

/** Fails where the page keeps out people with impairments, or is wider than the screen. */
export async function isOpenToAll(t: ExecutionContext, page: Page, name: string): Promise<void> {
  t.deepEqual(await barriers(page), [], name);
  const [wide, seen]: [number, number] = await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  t.true(wide <= seen, `${name} is wider than the screen: ${wide} of ${seen}`);
}
