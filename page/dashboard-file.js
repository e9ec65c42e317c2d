import { save } from './download.js';
import { Trouble } from './session.js';
import { createStored } from './stored.js';

/**
 * Gives a dashboard to the browser as a file, which {@link importDashboard} takes.
 * @param {{ name: string; content: object }} dashboard
 */
export function exportDashboard({ name, content }) {
  const text = `${JSON.stringify({ name, content }, null, 2)}\n`;
  save(`${name.replace(/[^\p{L}\p{N}_.-]+/gu, '-')}.json`, 'application/json', text);
}

/**
 * Makes a dashboard of an exported file, private at first. The service checks what is in it.
 * @param {string} text
 */
export async function importDashboard(text) {
  /** @type {unknown} */
  let sent;
  try {
    sent = JSON.parse(text);
  } catch {
    throw new Trouble('refused', 'The file is not JSON.');
  }
  if (typeof sent !== 'object' || sent === null) throw new Trouble('refused', 'The file is no dashboard.');
  return createStored('dashboards', /** @type {import('./stored.js').Sent<object>} */ ({ ...sent, shared: false }));
}
