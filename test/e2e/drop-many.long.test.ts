// With all cases instead of some, see test/support/cases.ts.
import './drop-many.test.js';
