import type { StatementTraits } from '../../../src/sql/engine/settings.js';

/** Traits of a result of few numbers. */
export const traits: StatementTraits = {
  emptyGivesNone: false,
  givesTexts: false,
  givesDecimals: false,
  readsShortSeries: false,
  allowsOldAnalyzer: false,
};
