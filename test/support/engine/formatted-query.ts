import type { EngineQuery } from '../../../src/database/engine/request.js';

/** A query of the engine as a text that ends in its FORMAT. */
export function formattedQuery(text: string, cacheableUntilChangeOf?: readonly string[]): EngineQuery {
  const at = text.lastIndexOf(' FORMAT ');
  return {
    statement: text.slice(0, at),
    format: text.slice(at + ' FORMAT '.length),
    ...(cacheableUntilChangeOf === undefined ? {} : { cacheableUntilChangeOf }),
  };
}
