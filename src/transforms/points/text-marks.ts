import type { JoinedRows, JoinedText } from './parse-options.js';
import type { PointTable } from './point-table.js';

/** Keeps account of which rows came of which of several texts that are read as one. */
export class TextMarks {
  readonly #texts: readonly JoinedText[];
  /** Place of the text that the current line is of. */
  #place = 0;
  #isTorn = false;
  readonly #rejected = new Set<number>();
  readonly #ofBlocks: (readonly number[])[] = [];

  constructor(texts: readonly JoinedText[]) {
    this.#texts = texts;
  }

  /** A line begins at `at`, where the text before has ended. Gives the text that it is of. */
  begin(at: number): JoinedText {
    this.#isTorn ||= at > this.#texts[this.#place]!.end;
    while (at >= this.#texts[this.#place]!.end) this.#place++;
    return this.#texts[this.#place]!;
  }

  /** Notes a row of a table. */
  row({ texts }: PointTable): void {
    if (texts.at(-1) !== this.#place) texts.push(this.#place);
  }

  /** Notes a rejected line. */
  reject(): void {
    this.#rejected.add(this.#place);
  }

  /** Notes a finished block, which has rows of these texts. */
  block(texts: readonly number[]): void {
    this.#ofBlocks.push(texts);
  }

  /** All of it, once the last line was read. */
  finish(): JoinedRows {
    const isTorn = this.#isTorn || this.#texts[this.#place]!.end < this.#texts.at(-1)!.end;
    return { texts: this.#ofBlocks, rejected: this.#rejected, isTorn };
  }
}
