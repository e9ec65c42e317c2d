// With all cases instead of some, see test/support/cases.ts.
import './insert-division.test.js';
