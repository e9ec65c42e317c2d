/** @typedef {{ labels: Record<string, string>; value: number }} Sample */
/** @typedef {{ at: number; samples: Map<string, Sample[]> }} Figures */

const line = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/**
 * Figures in the OpenMetrics text format, by the name of their line.
 * @param {string} text
 * @param {number} at Unix ms
 * @returns {Figures}
 */
export function parseFigures(text, at) {
  const samples = new Map();
  for (const written of text.split('\n')) {
    if (written.startsWith('#') || written.includes('_bucket{')) continue;
    const [, name, labels = '', value] = line.exec(written) ?? [];
    if (name === undefined) continue;
    /** @type {Record<string, string>} */
    const named = {};
    for (const [, key = '', given = ''] of labels.matchAll(label)) named[key] = given.replace(/\\(.)/g, '$1');
    const list = samples.get(name) ?? [];
    list.push({ labels: named, value: Number(value) });
    samples.set(name, list);
  }
  return { at, samples };
}

/**
 * Sum of the samples of a name that have these labels; undefined where there is none.
 * @param {Figures | undefined} figures
 * @param {string} name
 * @param {Record<string, string>} [labels]
 */
export function figure(figures, name, labels = {}) {
  const wanted = Object.entries(labels);
  const found = (figures?.samples.get(name) ?? []).filter((sample) =>
    wanted.every(([key, value]) => sample.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/**
 * All values that a label has in the samples of a name.
 * @param {Figures | undefined} figures
 * @param {string} name
 * @param {string} key
 */
export function labelValues(figures, name, key) {
  const values = (figures?.samples.get(name) ?? []).map(({ labels }) => labels[key] ?? '');
  return [...new Set(values)];
}

/** How many scrapes are remembered: five minutes of them. */
const maxHistory = 150;

/** The scrapes of the last minutes. */
export class History {
  /** @type {Figures[]} */
  all = [];

  get last() {
    return this.all.at(-1);
  }

  /** @param {Figures} figures */
  add(figures) {
    this.all.push(figures);
    if (this.all.length > maxHistory) this.all.shift();
  }

  /**
   * A count's rises per second, one between any two scrapes; a restart of the service counts as none.
   * @param {string} name
   * @param {Record<string, string>} [labels]
   * @returns {number[]}
   */
  rates(name, labels) {
    const rates = [];
    for (let at = 1; at < this.all.length; at++) {
      const [before, after] = [this.all[at - 1], this.all[at]];
      if (before === undefined || after === undefined) continue;
      const risen = (figure(after, name, labels) ?? 0) - (figure(before, name, labels) ?? 0);
      rates.push((Math.max(0, risen) * 1000) / Math.max(1, after.at - before.at));
    }
    return rates;
  }
}
