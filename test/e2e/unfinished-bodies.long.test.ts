// With all cases instead of some, see test/support/cases.ts.
import './unfinished-bodies.test.js';
