// With all cases instead of some, see test/support/cases.ts.
import './functions-combinations.test.js';
