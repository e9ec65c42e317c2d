import { Observable, type OperatorFunction } from 'rxjs';

/** Where a stage of a chain puts its results. */
export interface StageOutput<O> {
  /** True once no later stage takes results: the chain was unsubscribed, or it is broken. */
  readonly closed: boolean;
  /** Passes a result on. */
  next(result: O): void;
  /** Breaks the chain: a defect. */
  fail(error: unknown): void;
  /** Awaits work in the background. The stage does not complete before the work does; a rejection breaks the chain. */
  work(task: Promise<unknown>): void;
  /**
   * Something has begun that ends later with a call of {@link StageOutput.end}. The stage does not complete before
   * that.
   */
  begin(): void;
  end(): void;
}

/** One subscription of a stage. */
export interface Stage<I> {
  /** Takes one item of the input. An exception breaks the chain. */
  take(item: I): void;
  /** The input is complete: passes on what is left. A rejection breaks the chain. */
  finish?(): Promise<void> | void;
  /** The chain was unsubscribed, broke or completed: releases timers and subscriptions. */
  stop?(): void;
}

/**
 * An operator of rxjs with a life of its own, for stages that hold items back or work in the background. `open` is
 * called once per subscription. The stage completes once its input has and nothing that it began is open. Errors of the
 * input go on. Without this helper, rxjs would report an exception of `take` outside of the chain, which would then
 * continue as if nothing had happened.
 */
export function stage<I, O>(open: (output: StageOutput<O>) => Stage<I>): OperatorFunction<I, O> {
  return (source) =>
    new Observable<O>((subscriber) => {
      let [pending, isOver] = [0, false];
      const fail = (error: unknown): void => subscriber.error(error);
      const begin = (): void => {
        pending++;
      };
      const end = (): void => {
        pending--;
        if (isOver && pending === 0) subscriber.complete();
      };
      const work = (task: Promise<unknown>): void => {
        begin();
        task.then(end, fail);
      };
      const own = open({
        get closed() {
          return subscriber.closed;
        },
        next: (result) => subscriber.next(result),
        fail,
        work,
        begin,
        end,
      });
      const subscription = source.subscribe({
        next: (item) => {
          try {
            own.take(item);
          } catch (error) {
            fail(error);
          }
        },
        error: fail,
        complete: () => {
          try {
            begin();
            isOver = true;
            const left = own.finish?.();
            if (left instanceof Promise) left.then(end, fail);
            else end();
          } catch (error) {
            fail(error);
          }
        },
      });
      return () => {
        subscription.unsubscribe();
        own.stop?.();
      };
    });
}
