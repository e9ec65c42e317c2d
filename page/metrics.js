/** @typedef {{ labels: Record<string, string>; value: number }} Sample */
/** @typedef {{ at: number; samples: Map<string, Sample[]> }} Metrics */

const line = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/**
 * Metrics in the OpenMetrics text format, by the name of their line.
 * @param {string} text
 * @param {number} at Unix ms
 * @returns {Metrics}
 */
export function parseMetrics(text, at) {
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
 * @param {Metrics | undefined} metrics
 * @param {string} name
 * @param {Record<string, string>} [labels]
 */
export function metric(metrics, name, labels = {}) {
  const wanted = Object.entries(labels);
  const found = (metrics?.samples.get(name) ?? []).filter((sample) =>
    wanted.every(([key, value]) => sample.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/**
 * All values that a label has in the samples of a name.
 * @param {Metrics | undefined} metrics
 * @param {string} name
 * @param {string} key
 */
export function labelValues(metrics, name, key) {
  const values = (metrics?.samples.get(name) ?? []).map(({ labels }) => labels[key] ?? '');
  return [...new Set(values)];
}

/** Scrapes of the last five minutes are all kept; of older ones, those that are ten seconds apart, for an hour. */
const [recentMs, stepMs, longestMs] = [300_000, 10_000, 3_600_000];

/**
 * What `GET /metrics/history` answers.
 * @typedef {object} Past
 * @property {number} now
 * @property {number[]} times
 * @property {{ name: string; values: (number | null)[] }[]} series
 */

/** The metrics of the last hour: what the service remembers, then what was scraped. */
export class History {
  /** @type {Metrics[]} */
  all = [];
  /** Names of what is remembered of older scrapes. @type {ReadonlySet<string>} */
  #names = new Set();

  get last() {
    return this.all.at(-1);
  }

  /** @param {Metrics} metrics */
  add(metrics) {
    this.all.push(metrics);
    while (metrics.at - (this.all[0]?.at ?? 0) > longestMs) this.all.shift();
    this.#thin(metrics.at - recentMs);
  }

  /**
   * Puts what the service remembers before what was scraped.
   * @param {Past} past
   * @param {number} now the clock of this browser, which may be another one than the service's
   */
  begin({ now: theirNow, times, series }, now) {
    const first = this.all[0]?.at ?? now;
    const older = times.map((time, at) => {
      const lines = series.flatMap(({ name, values }) => (values[at] === null ? [] : [`${name} ${values[at]}`]));
      return parseMetrics(lines.join('\n'), time - theirNow + now);
    });
    this.#names = new Set(older.flatMap(({ samples }) => [...samples.keys()]));
    this.all.unshift(...older.filter(({ at }) => at < first));
  }

  /**
   * Leaves out the scrape that has just become old, unless it is the next step, and of its metrics those that nobody draws.
   * @param {number} until
   */
  #thin(until) {
    const at = this.all.findIndex((metrics) => metrics.at >= until) - 1;
    const [kept, old] = [this.all[at - 1], this.all[at]];
    if (old === undefined) return;
    if (kept !== undefined && old.at - kept.at < stepMs) this.all.splice(at, 1);
    else for (const name of old.samples.keys()) if (!this.#names.has(name)) old.samples.delete(name);
  }

  /**
   * A count's rises per second over the last minutes, one between any two scrapes; a restart of the service counts as none.
   * @param {string} name
   * @param {Record<string, string>} [labels]
   * @returns {{ at: number; value: number }[]}
   */
  rates(name, labels) {
    const rates = [];
    const since = (this.last?.at ?? 0) - recentMs;
    for (let at = 1; at < this.all.length; at++) {
      const [before, after] = [this.all[at - 1], this.all[at]];
      if (before === undefined || after === undefined || before.at < since) continue;
      const risen = (metric(after, name, labels) ?? 0) - (metric(before, name, labels) ?? 0);
      rates.push({ at: after.at, value: (Math.max(0, risen) * 1000) / Math.max(1, after.at - before.at) });
    }
    return rates;
  }

  /**
   * A count's rise per second between the last two scrapes.
   * @param {string} name
   * @param {Record<string, string>} [labels]
   */
  rate(name, labels) {
    return this.rates(name, labels).at(-1)?.value ?? 0;
  }
}
