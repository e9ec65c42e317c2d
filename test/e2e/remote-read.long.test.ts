// With all cases instead of some, see test/support/cases.ts.
import './remote-read.test.js';
