import type { Exchange, Outcome } from '../../model/exchange.js';

/**
 * Sends one exchange through a port and waits for its reply. Only the first reply counts; rejects when the port itself
 * throws, which is a mistake in the program.
 */
export function sendRequest<Q, A>(
  port: (exchange: Exchange<Q, A>) => void,
  id: string,
  request: Q,
  aborted: AbortSignal,
): Promise<Outcome<A>> {
  return new Promise((resolve) => {
    port({
      id,
      request,
      aborted,
      answer: (answer) => resolve({ kind: 'answered', answer }),
      refuse: (fault) => resolve({ kind: 'refused', fault }),
    });
  });
}
