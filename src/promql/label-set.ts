import type { Label } from '../model/label-set.js';
import { isPlainLabel, quotedText } from './language/literals.js';
import type { Labels } from './source.js';

/** The label that is the name of a metric. */
export const nameLabel = '__name__';

/** Labels of a series, in the order of their names' bytes; they never change. */
export class LabelSet {
  readonly labels: Labels;
  #key: string | undefined;
  #unnamed: LabelSet | undefined;

  /** Takes labels in their order. */
  constructor(labels: Labels) {
    this.labels = labels;
  }

  /** The set of labels in any order; those without a value are left out. */
  static of(labels: Iterable<Label>): LabelSet {
    const present = [...labels].filter(([, value]) => value !== '');
    return new LabelSet(present.sort(([a], [b]) => compareTexts(a, b)));
  }

  /** A text that no other set of labels has. Lone surrogates are in no text of a sender. */
  get key(): string {
    this.#key ??= this.labels.map(([name, value]) => `${name}\ud800${value}\ud801`).join('');
    return this.#key;
  }

  /** The value of a label; empty when the series lacks it. */
  get(name: string): string {
    for (const label of this.labels) if (label[0] === name) return label[1];
    return '';
  }

  /** These labels without the name of the metric, its type and its unit: what a computed value has. */
  get unnamed(): LabelSet {
    this.#unnamed ??= this.without(metadataLabels);
    return this.#unnamed;
  }

  /** These labels but those. */
  without(names: ReadonlySet<string>): LabelSet {
    const labels = this.labels.filter(([name]) => !names.has(name));
    return labels.length === this.labels.length ? this : new LabelSet(labels);
  }

  /** Those of these labels. */
  only(names: ReadonlySet<string>): LabelSet {
    if (names.size === 0) return noLabels;
    return new LabelSet(this.labels.filter(([name]) => names.has(name)));
  }

  /** These labels with one set; an empty value takes it away. */
  with(name: string, value: string): LabelSet {
    return LabelSet.of([...this.labels.filter((label) => label[0] !== name), [name, value]]);
  }

  /** `{name="value", …}` as messages show it. */
  toString(): string {
    const texts = this.labels.map(
      ([name, value]) => `${isPlainLabel(name) ? name : quotedText(name)}=${quotedText(value)}`,
    );
    return `{${texts.join(', ')}}`;
  }
}

const metadataLabels: ReadonlySet<string> = new Set([nameLabel, '__type__', '__unit__']);

/** No labels at all. */
export const noLabels = new LabelSet([]);

/** Orders texts by their bytes in UTF-8, which is the order of their code points. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    // Surrogates stand for code points above all others.
    const isLeftHigh = left >= 0xd800 && left < 0xe000;
    const isRightHigh = right >= 0xd800 && right < 0xe000;
    if (isLeftHigh !== isRightHigh) return isLeftHigh ? 1 : -1;
    return left - right;
  }
  return a.length - b.length;
}

/** Orders series by their labels: names and values in turn, then the shorter first. */
export function compareLabels({ labels: a }: LabelSet, { labels: b }: LabelSet): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = compareTexts(a[i]![0], b[i]![0]) || compareTexts(a[i]![1], b[i]![1]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
