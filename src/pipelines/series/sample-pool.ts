import { Codes, FaultError, fault } from '../../model/fault.js';

/** The samples that one query holds in memory. */
export interface SampleLease {
  /** Takes samples; throws a FaultError of kind `resource` while the queries together hold too many. */
  take(samples: number): void;
  /** Gives all of them back; may be called again. */
  end(): void;
}

/** Samples that all queries together hold in memory, and their limit. */
export class SamplePool {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Samples that are held now. */
  get held(): number {
    return this.#held;
  }

  /** The samples of one more query. */
  lease(): SampleLease {
    let own = 0;
    return {
      take: (samples) => {
        if (this.#held + samples > this.#limit) throw tooMany();
        own += samples;
        this.#held += samples;
      },
      end: () => {
        this.#held -= own;
        own = 0;
      },
    };
  }
}

function tooMany(): FaultError {
  const text = 'Queries in PromQL hold too many samples in memory (promql.samplesOfAll), please try again later';
  return new FaultError(fault('resource', Codes.free, text));
}
