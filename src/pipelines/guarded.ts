import type { Subscriber } from 'rxjs';

/**
 * A step of an operator whose exception is the operator's error. Left to itself, rxjs reports what an observer throws outside the chain, which continues
 * as if nothing had happened: the batch would be lost and its sender never answered.
 */
export function guarded<V, O>(subscriber: Subscriber<O>, step: (value: V) => void): (value: V) => void {
  return (value) => {
    try {
      step(value);
    } catch (error) {
      subscriber.error(error);
    }
  };
}
