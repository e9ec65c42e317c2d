import type { SqlAnswer } from '../model/exchange.js';

/**
 * The rows of an answer, each parsed from its line of JSON: for answers that are small, or whose rows are only read
 * once. Leaving the loop ends the query.
 */
export async function* parsedRows<T>({ lines }: Extract<SqlAnswer, { kind: 'rows' }>): AsyncGenerator<T, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of lines) {
    const texts = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) if (text !== '') yield JSON.parse(text);
  }
}
