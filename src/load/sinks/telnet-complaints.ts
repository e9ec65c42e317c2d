/** Longest unfinished complaint that is kept. */
const maxPendingLength = 4096;
/** Longest piece of a complaint that is repeated. */
const maxShownLength = 500;

/**
 * Complaints of a telnet-format listener about lines that it does not store, counted in rows: a line each for bad ones, `put: illegal
 * argument: 7 more lines`, and `(lines: 7)` at the end of what holds for a whole batch.
 */
export class TelnetComplaints {
  #rows = 0;
  #first = '';
  #pending = '';

  /** Takes what was read, however it is cut. */
  add(piece: string): void {
    const lines = (this.#pending + piece).split('\n');
    this.#pending = (lines.pop() ?? '').slice(0, maxPendingLength);
    for (const line of lines) this.#complain(line.trim());
  }

  /** Takes at most so many refused rows off, and gives what was said first. */
  take(most: number): { readonly rows: number; readonly said: string } {
    const rows = Math.min(this.#rows, most);
    this.#rows -= rows;
    const said = this.#first;
    if (this.#rows === 0) this.#first = '';
    return { rows, said };
  }

  #complain(line: string): void {
    if (line === '') return;
    const [, more] = /^put: illegal argument: (\d+) more lines$/.exec(line) ?? [];
    const [, all] = /\(lines: (\d+)\)$/.exec(line) ?? [];
    this.#rows += Number(more ?? all ?? 1);
    if (this.#first === '') this.#first = line.slice(0, maxShownLength);
  }
}
