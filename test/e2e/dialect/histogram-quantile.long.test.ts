// With all cases instead of some, see test/support/cases.ts.
import './histogram-quantile.test.js';
