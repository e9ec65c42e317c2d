import type { MergedRows, MergedText, TextRows } from './parse-options.js';
import type { PointTable } from './point-table.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Keeps account of which rows came of which of several texts that are read as one. */
export class TextMarks {
  readonly #texts: readonly MergedText[];
  /** Place of the text that the current line is of. */
  #place = 0;
  #isTorn = false;
  readonly #rows: Writable<TextRows>[];
  /** The text of each rejected line that is described. */
  readonly #rejectTexts: number[] = [];
  readonly #ofBlocks: (readonly number[])[] = [];

  constructor(texts: readonly MergedText[]) {
    this.#texts = texts;
    this.#rows = texts.map(() => ({ firstLine: 0, rows: 0, rejectedRows: 0 }));
  }

  /** The line of that index begins at `at`, where the text before has ended. Returns the text that it is of. */
  begin(at: number, line: number): MergedText {
    this.#isTorn ||= at > this.#texts[this.#place]!.end;
    while (at >= this.#texts[this.#place]!.end) this.#place++;
    this.#rows[this.#place]!.firstLine = line;
    return this.#texts[this.#place]!;
  }

  /** Counts a row of a table. */
  row({ texts }: PointTable): void {
    if (texts[texts.length - 1] !== this.#place) texts.push(this.#place);
    this.#rows[this.#place]!.rows++;
  }

  /** Counts a rejected line, which is described or not. */
  reject(isDescribed: boolean): void {
    this.#rows[this.#place]!.rejectedRows++;
    if (isDescribed) this.#rejectTexts.push(this.#place);
  }

  /** The texts must be read alone: together they reach a limit of a call. */
  tear(): void {
    this.#isTorn = true;
  }

  /** Notes a finished block, which has rows of these texts. */
  block(texts: readonly number[]): void {
    this.#ofBlocks.push(texts);
  }

  /** All of it, once the last line was read. */
  finish(): MergedRows {
    const isTorn = this.#isTorn || this.#texts[this.#place]!.end < this.#texts.at(-1)!.end;
    return { texts: this.#ofBlocks, rows: this.#rows, rejectTexts: this.#rejectTexts, isTorn };
  }
}
