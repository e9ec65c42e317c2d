import type { Slice } from '../async/slice.js';
import type { Annotations } from './annotations.js';
import { type LabelSet, nameLabel } from './label-set.js';
import type { BinaryExpr, VectorMatching } from './language/tree.js';
import { Operation } from './operation.js';
import { QueryError } from './query-error.js';
import { absentSample, copySample, emptyRow, floatSample, type Row, RowSet, sameLabels } from './rows.js';

/** An operator between a vector and a scalar, which may be the left side. */
export async function vectorWithScalar(
  expr: BinaryExpr,
  rows: readonly Row[],
  scalar: Float64Array,
  isScalarLeft: boolean,
  annotations: Annotations,
  slice: Slice,
): Promise<Row[]> {
  const operation = new Operation(expr, annotations);
  const other: Row = {
    ...emptyRow(rows[0]?.labels.unnamed as LabelSet, 0),
    values: scalar,
    present: new Uint8Array(scalar.length).fill(floatSample),
  };
  const results: Row[] = [];
  for (const row of rows) {
    if (slice.isOver()) await slice.next();
    const result = emptyRow(operation.dropsName ? row.labels.unnamed : row.labels, scalar.length);
    for (let step = 0; step < scalar.length; step++) {
      if (row.present[step] === absentSample) continue;
      if (isScalarLeft) operation.apply(other, row, step, result, true);
      else operation.apply(row, other, step, result);
    }
    results.push(result);
  }
  return results;
}

/** The part of the labels that must be the same on both sides. */
function signatureOf({ labels, isOn }: VectorMatching): (labels: LabelSet) => string {
  const names = new Set(isOn ? labels : [...labels, nameLabel]);
  return isOn ? (set) => set.only(names).key : (set) => set.without(names).key;
}

/** At which steps some row of each signature has a sample. */
function presenceOf(
  rows: readonly Row[],
  steps: number,
  signature: (labels: LabelSet) => string,
): ReadonlyMap<string, Uint8Array> {
  const presence = new Map<string, Uint8Array>();
  for (const row of rows) {
    const key = signature(row.labels);
    const steady = presence.get(key) ?? new Uint8Array(steps);
    for (let step = 0; step < steps; step++) if (row.present[step] !== absentSample) steady[step] = 1;
    presence.set(key, steady);
  }
  return presence;
}

/** `and`, `or`, `unless` */
export async function setOperation(
  expr: BinaryExpr,
  left: readonly Row[],
  right: readonly Row[],
  steps: number,
  slice: Slice,
): Promise<Row[]> {
  const signature = signatureOf(expr.matching!);
  const results = new RowSet(steps);
  const isOr = expr.operator === 'or';
  const presence = presenceOf(isOr ? left : right, steps, signature);
  const required = expr.operator === 'and' ? 1 : 0;
  if (isOr) for (const row of left) results.add(row);
  for (const row of isOr ? right : left) {
    if (slice.isOver()) await slice.next();
    const others = presence.get(signature(row.labels));
    const result = emptyRow(row.labels, steps);
    for (let step = 0; step < steps; step++) {
      if (row.present[step] !== absentSample && (others?.[step] ?? 0) === required) copySample(row, result, step);
    }
    results.add(result);
  }
  return results.rows();
}

/** Rows of both sides with the same signature. */
interface MatchGroup {
  readonly many: Row[];
  readonly one: Row[];
}

/** An operator between two vectors. */
export async function vectorWithVector(
  expr: BinaryExpr,
  left: readonly Row[],
  right: readonly Row[],
  steps: number,
  annotations: Annotations,
  slice: Slice,
): Promise<Row[]> {
  const matching = expr.matching!;
  const isSwapped = matching.cardinality === 'one-to-many';
  const [many, one] = isSwapped ? [right, left] : [left, right];
  const signature = signatureOf(matching);
  const groups = new Map<string, MatchGroup>();
  const groupOf = (row: Row): MatchGroup => {
    const key = signature(row.labels);
    const group = groups.get(key) ?? { many: [], one: [] };
    groups.set(key, group);
    return group;
  };
  for (const row of many) groupOf(row).many.push(row);
  for (const row of one) groupOf(row).one.push(row);
  const hasFill = matching.fillLeft !== undefined || matching.fillRight !== undefined;
  const busy = hasFill ? undefined : busySteps(many, steps);
  const matcher = new Matcher(expr, steps, new Operation(expr, annotations), isSwapped);
  for (const group of groups.values()) {
    if (slice.isOver()) await slice.next();
    await matcher.match(group, busy, slice);
  }
  return matcher.results.rows();
}

/** At which steps some row has a sample. */
function busySteps(rows: readonly Row[], steps: number): Uint8Array {
  const busy = new Uint8Array(steps);
  for (const { present } of rows) for (let step = 0; step < steps; step++) busy[step]! |= present[step]!;
  return busy;
}

const noRow = -1;

/** Brings the rows of groups together. */
class Matcher {
  readonly results: RowSet;
  readonly #expr: BinaryExpr;
  readonly #matching: VectorMatching;
  readonly #steps: number;
  readonly #operation: Operation;
  readonly #isSwapped: boolean;
  readonly #labelNames: ReadonlySet<string>;

  constructor(expr: BinaryExpr, steps: number, operation: Operation, isSwapped: boolean) {
    this.results = new RowSet(steps);
    this.#expr = expr;
    this.#matching = expr.matching!;
    this.#steps = steps;
    this.#operation = operation;
    this.#isSwapped = isSwapped;
    this.#labelNames = new Set(this.#matching.labels);
  }

  async match({ many, one }: MatchGroup, busy: Uint8Array | undefined, slice: Slice): Promise<void> {
    const oneAt = this.#onlyRows(one, busy);
    const isOneToOne = this.#matching.cardinality === 'one-to-one';
    const matched = new Map<string, Uint8Array>();
    const matchedSteps = (key: string): Uint8Array => {
      const steps = matched.get(isOneToOne ? '' : key) ?? new Uint8Array(this.#steps);
      matched.set(isOneToOne ? '' : key, steps);
      return steps;
    };
    for (const row of many) {
      if (slice.isOver()) await slice.next();
      const filler = this.#filler(row, this.#matching.fillRight);
      this.#matchRow(row, one, oneAt, filler, matchedSteps);
    }
    if (this.#matching.fillLeft !== undefined) this.#fillMany(one, matched, this.#matching.fillLeft, matchedSteps);
  }

  /** The index of the one row with a sample at each step. */
  #onlyRows(rows: readonly Row[], busy: Uint8Array | undefined): Int32Array {
    const at = new Int32Array(this.#steps).fill(noRow);
    for (const [i, { present }] of rows.entries()) {
      for (let step = 0; step < this.#steps; step++) {
        if (present[step] === absentSample) continue;
        const other = at[step]!;
        if (other !== noRow && (busy === undefined || busy[step] !== 0)) this.#refuseTwins(rows[other]!, rows[i]!);
        at[step] = i;
      }
    }
    return at;
  }

  #refuseTwins(a: Row, b: Row): never {
    const { isOn } = this.#matching;
    const group = isOn ? b.labels.only(this.#labelNames) : b.labels.without(new Set([...this.#labelNames, nameLabel]));
    const twins = [String(a.labels), String(b.labels)].sort();
    const text = `found duplicate series for the match group ${group} on the ${this.#isSwapped ? 'left' : 'right'} hand-side of the operation: [${twins.join(', ')}]`;
    const reason = 'many-to-many matching not allowed: matching labels must be unique on one side';
    throw new QueryError('execution', `${text};${reason}`);
  }

  #matchRow(
    row: Row,
    one: readonly Row[],
    oneAt: Int32Array,
    filler: Row | undefined,
    matchedSteps: (key: string) => Uint8Array,
  ): void {
    let other: Row | undefined;
    let result: Row | undefined;
    let matched: Uint8Array | undefined;
    for (let step = 0; step < this.#steps; step++) {
      if (row.present[step] === absentSample) continue;
      const index = oneAt[step]!;
      const next = index === noRow ? filler : one[index]!;
      if (next === undefined) continue;
      if (next !== other || result === undefined || matched === undefined) {
        other = next;
        result = this.#resultRow(row.labels, next.labels);
        matched = matchedSteps(result.labels.key);
      }
      this.#applyAt(row, next, step, result, matched);
    }
  }

  #applyAt(many: Row, one: Row, step: number, result: Row, matched: Uint8Array): void {
    if (matched[step] !== 0) {
      throw new QueryError(
        'execution',
        this.#matching.cardinality === 'one-to-one'
          ? 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)'
          : 'multiple matches for labels: grouping labels must ensure unique matches',
      );
    }
    matched[step] = 1;
    if (result.present[step] !== absentSample) sameLabels();
    if (this.#isSwapped) this.#operation.apply(one, many, step, result);
    else this.#operation.apply(many, one, step, result);
  }

  /** A row with one number at all steps that stands for the counterpart of a row. */
  #filler({ labels }: Row, value: number | undefined): Row | undefined {
    if (value === undefined) return undefined;
    const matched = this.#matching.isOn
      ? labels.only(this.#labelNames)
      : labels.without(new Set([...this.#labelNames, nameLabel]));
    const filler = emptyRow(matched, this.#steps);
    filler.values.fill(value);
    filler.present.fill(floatSample);
    return filler;
  }

  #fillMany(
    one: readonly Row[],
    matched: ReadonlyMap<string, Uint8Array>,
    value: number,
    matchedSteps: (key: string) => Uint8Array,
  ): void {
    const taken = new Uint8Array(this.#steps);
    for (const steps of matched.values()) for (let i = 0; i < taken.length; i++) taken[i]! |= steps[i]!;
    for (const row of one) {
      const filler = this.#filler(row, value)!;
      const result = this.#resultRow(filler.labels, row.labels);
      const steps = matchedSteps(result.labels.key);
      for (let step = 0; step < this.#steps; step++) {
        if (row.present[step] !== absentSample && taken[step] === 0) this.#applyAt(filler, row, step, result, steps);
      }
    }
  }

  #resultRow(many: LabelSet, one: LabelSet): Row {
    let labels = this.#operation.dropsName ? many.unnamed : many;
    if (this.#matching.cardinality === 'one-to-one')
      labels = this.#matching.isOn ? labels.only(this.#labelNames) : labels.without(this.#labelNames);
    for (const name of this.#expr.matching!.include) labels = labels.with(name, one.get(name));
    return this.results.row(labels);
  }
}
