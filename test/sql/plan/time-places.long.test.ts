// With all cases instead of some, see test/support/cases.ts.
import './time-places.test.js';
