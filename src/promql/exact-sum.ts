/** A sum with what rounding has lost of it (Kahan's method as Neumaier improved it). */
export class ExactSum {
  sum = 0;
  lost = 0;

  /** Starts anew from a sum and its loss. */
  reset(sum = 0, lost = 0): void {
    this.sum = sum;
    this.lost = lost;
  }

  /** Adds a number. */
  add(value: number): void {
    const total = this.sum + value;
    if (total === Number.POSITIVE_INFINITY || total === Number.NEGATIVE_INFINITY) this.lost = 0;
    else if (Math.abs(this.sum) >= Math.abs(value)) this.lost += this.sum - total + value;
    else this.lost += value - total + this.sum;
    this.sum = total;
  }

  /** The sum, with what was lost. */
  get total(): number {
    return this.sum + this.lost;
  }
}

/** The mean of numbers: by their sum, and step by step from where that would overflow. */
export class ExactMean {
  readonly #sum = new ExactSum();
  #count = 0;
  #isByStep = false;

  /** Adds a number. */
  add(value: number): void {
    this.#count++;
    const count = this.#count;
    if (count === 1) {
      this.#sum.reset(value);
      return;
    }
    const { sum, lost } = this.#sum;
    if (!this.#isByStep) {
      this.#sum.add(value);
      if (Math.abs(this.#sum.sum) !== Number.POSITIVE_INFINITY) return;
      this.#isByStep = true;
      this.#sum.reset(sum / (count - 1), lost / (count - 1));
    }
    const share = (count - 1) / count;
    this.#sum.reset(share * this.#sum.sum, share * this.#sum.lost);
    this.#sum.add(value / count);
  }

  /** The mean of what was added. */
  get mean(): number {
    const { sum, lost } = this.#sum;
    return this.#isByStep ? sum + lost : sum / this.#count + lost / this.#count;
  }

  /** Starts anew. */
  reset(): void {
    this.#sum.reset();
    this.#count = 0;
    this.#isByStep = false;
  }
}
