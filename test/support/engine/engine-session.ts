import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { rowSettings } from '../../../src/sql/engine/settings.js';

/** A process has one engine in it at most: what its test files ask for is the same one, until the last of them gives it back. */
let open: { readonly session: Session; readonly directory: string } | undefined;
let users = 0;

/** The engine inside this process, on an empty directory at first. Whoever takes it calls {@link releaseSession} at the end. */
export function takeSession(): Session {
  if (open === undefined) {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-session-'));
    const rows = Object.entries(rowSettings).map(([name, value]) => `--${name}=${value}`);
    open = { directory, session: new Session(directory, { connectionArgs: ['--max_query_size=268435456', ...rows] }) };
  }
  users++;
  return open.session;
}

/** Gives the engine back; the last one closes it and removes its data. */
export function releaseSession(): void {
  if (open === undefined || --users > 0) return;
  open.session.cleanup();
  rmSync(open.directory, { recursive: true, force: true });
  open = undefined;
}
