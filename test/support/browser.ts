import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const program = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Why there is no browser to test with, or undefined when there is one. */
export const noBrowser: string | undefined = existsSync(program) ? undefined : `${program} is not there`;

/** A headless Chromium that talks to nobody but the service. */
export function launchBrowser(): Promise<Browser> {
  const quiet = ['--disable-quic', '--no-first-run', '--disable-background-networking'];
  const lean = ['--disable-component-update', '--disable-sync', '--disable-gpu', '--disable-dev-shm-usage'];
  // The sandbox does not work for root, as whom tests run in containers.
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', ...quiet, ...lean], timeout: 120_000 });
}
