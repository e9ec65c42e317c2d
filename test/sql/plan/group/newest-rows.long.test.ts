// With all cases instead of some, see test/support/cases.ts.
import './newest-rows.test.js';
