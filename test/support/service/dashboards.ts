import type { WholeDocument } from '../../../src/model/document.js';
import { basic } from './service.js';

async function call<T>(port: number, path: string, more: RequestInit = {}): Promise<T> {
  const url = `http://127.0.0.1:${port}/api/v1/${path}`;
  const reply = await fetch(url, { headers: { authorization: basic }, ...more });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
  const answer: T = JSON.parse(text);
  return answer;
}

/** Makes a dashboard of root; gives its id. */
export async function makeDashboard(port: number, name: string, content: object): Promise<string> {
  const body = JSON.stringify({ name, content });
  const { id } = await call<WholeDocument>(port, 'dashboards', { method: 'POST', body });
  return id;
}

/** The names and contents of all dashboards, in the order of their making. */
export async function dashboardsOf(port: number): Promise<readonly (readonly [name: string, content: unknown])[]> {
  const { records } = await call<{ records: readonly WholeDocument[] }>(port, 'dashboards');
  const all = await Promise.all(records.map(({ id }) => call<WholeDocument>(port, `dashboards/${id}`)));
  return all.map(({ name, content }) => [name, content]);
}
