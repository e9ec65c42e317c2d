// With all cases instead of some, see test/support/cases.ts.
import './grid-query.test.js';
