import type { ExecutionContext, TestFn } from 'ava';
import { startService, type TestService } from '../service/service.js';
import { skipped } from '../skipped.js';
import { launchBrowser, noBrowser, type Visit, visit, waitLess } from './browser.js';
import { logIn } from './page.js';

type Look = Parameters<typeof visit>[3];

/** The page in a real browser, and a service of its own to look at. */
export interface PageWorld {
  /** Declares a test; it is skipped where there is no browser. */
  inBrowser(title: string, run: (t: ExecutionContext) => Promise<void>): void;
  service(): TestService;
  /** A visitor, who is gone at the end of the test. */
  open(t: ExecutionContext, path?: string, look?: Look, port?: number): Promise<Visit>;
  /** The same, logged in. */
  logInAndSee(t: ExecutionContext, path?: string, look?: Look): Promise<Visit>;
}

/** What the tests of a file see; `settings` are those of the service. */
export async function pageWorld(test: TestFn, ...settings: readonly string[]): Promise<PageWorld> {
  const world =
    noBrowser === undefined
      ? { ...(await startService('--smlAutoCreateDB=true', ...settings)), browser: await launchBrowser() }
      : undefined;
  test.afterEach.always(waitLess);
  test.after.always(async () => {
    await world?.browser.close();
    await world?.end();
  });
  const running = () => {
    if (world === undefined) throw new Error('There is no browser.');
    return world;
  };
  const open: PageWorld['open'] = async (t, path, look, port = running().service.port) => {
    const visited = await visit(running().browser, port, path, look);
    t.teardown(() => visited.close());
    return visited;
  };
  return {
    inBrowser: (title, run) => test.serial(title, (t) => (noBrowser === undefined ? run(t) : skipped(t, noBrowser))),
    service: () => running().service,
    open,
    logInAndSee: async (t, path, look) => {
      const visited = await open(t, path, look);
      await logIn(visited.page);
      await visited.page.waitForSelector('nav a[aria-current]');
      return visited;
    },
  };
}
