/** What a run has shown so far. */
interface Totals {
  passed: number;
  failed: number;
  /** Tests that ran nothing, with the reason that they gave. */
  readonly skipped: { readonly title: string; readonly reason: string }[];
  /** Titles of what failed, as they are printed. */
  readonly failures: string[];
}

const result = /^(not )?ok \d+(?: - (.*?))?( # (?:SKIP|TODO).*)?$/;
const skipping = /^# +skipped: (.*)$/i;

/** Reads the results of AVA line by line (Test Anything Protocol, testanything.org) and prints what a person wants to see of them. */
export class Report {
  readonly totals: Totals = { passed: 0, failed: 0, skipped: [], failures: [] };
  readonly #print: (line: string) => void;
  readonly #plain: (title: string) => string;
  /** The test whose further lines come now. */
  #last: { readonly title: string; readonly failed: boolean; counted: 'passed' | 'other' } | undefined;

  /** `plain` takes off a title what AVA has put in front. */
  constructor(print: (line: string) => void, plain: (title: string) => string) {
    this.#print = print;
    this.#plain = plain;
  }

  line(text: string): void {
    const match = result.exec(text);
    if (match !== null) this.#result(this.#plain(match[2] ?? ''), match[1] !== undefined, match[3] !== undefined);
    else if (this.#last?.failed === true) {
      if (/^(?: {2}|#)/.test(text)) this.#print(text);
      else this.#last = undefined;
    } else this.#reason(text);
  }

  #result(title: string, failed: boolean, leftOut: boolean): void {
    const { totals } = this;
    this.#last = { title, failed: failed && !leftOut, counted: 'other' };
    if (leftOut) totals.skipped.push({ title, reason: 'it says skip' });
    else if (failed) {
      totals.failed++;
      totals.failures.push(title);
      this.#print(`FAILED  ${title}`);
    } else {
      totals.passed++;
      this.#last.counted = 'passed';
    }
  }

  /** A test that passes with a line that begins with "skipped:" has shown nothing, and says why. */
  #reason(text: string): void {
    const reason = skipping.exec(text)?.[1];
    if (reason === undefined || this.#last?.counted !== 'passed') return;
    this.totals.passed--;
    this.totals.skipped.push({ title: this.#last.title, reason });
    this.#last.counted = 'other';
  }
}

/** A file that AVA runs. */
export interface Entry {
  /** As `build/test/e2e/lineproto.test.js`. */
  readonly path: string;
  /** What stands for it in titles, as `e2e › lineproto`; nothing when its titles have it in them already. */
  readonly name: string;
}

/**
 * Puts the whole name of a file in front of a title: AVA leaves out what the paths of all files begin with, and everything when
 * there is one file.
 */
export function plainTitles(entries: readonly Entry[]): (title: string) => string {
  const base = commonFolder(entries.map(({ path }) => path));
  const prefixes = entries.map(({ path, name }) => {
    const parts = path
      .slice(base.length)
      .replace(/\.test\.js$/, '')
      .split('/');
    return { shown: entries.length === 1 ? '' : `${parts.join(' › ')} › `, plain: name === '' ? '' : `${name} › ` };
  });
  return (shown) => {
    const title = shown.replaceAll(' > ', ' › ');
    const prefix = prefixes.find((one) => title.startsWith(one.shown));
    return prefix === undefined ? shown : prefix.plain + shown.slice(prefix.shown.length);
  };
}

/** The folder that all paths begin with, with its slash. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  const folders = first.split('/').slice(0, -1);
  const shared = folders.findIndex((_, at) => {
    const start = `${folders.slice(0, at + 1).join('/')}/`;
    return !others.every((other) => other.startsWith(start));
  });
  const common = shared === -1 ? folders : folders.slice(0, shared);
  return common.length === 0 ? '' : `${common.join('/')}/`;
}

/** What a run ends with. */
export function summary({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped.length} skipped`;
}
