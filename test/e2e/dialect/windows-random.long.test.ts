// With all cases instead of some, see test/support/cases.ts.
import './windows-random.test.js';
