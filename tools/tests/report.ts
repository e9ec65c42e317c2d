/** What a run has shown so far. */
export interface Totals {
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
  /** The test whose further lines come now. */
  #last: { readonly title: string; readonly failed: boolean; counted: 'passed' | 'other' } | undefined;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  line(text: string): void {
    const found = result.exec(text);
    if (found !== null) this.#result(plainTitle(found[2] ?? ''), found[1] !== undefined, found[3] !== undefined);
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

/** AVA puts the path of the entry file in front; a shared process has one that says nothing. */
function plainTitle(title: string): string {
  return title.replace(/^(?:test [›>] |shared-tests [›>] [\w-]+ [›>] )/, '');
}

/** What a run ends with. */
export function summary({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped.length} skipped`;
}
