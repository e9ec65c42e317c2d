// With all cases instead of some, see test/support/cases.ts.
import './rule-text.test.js';
