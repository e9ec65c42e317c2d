// With all cases instead of some, see test/support/cases.ts.
import './write-log.test.js';
