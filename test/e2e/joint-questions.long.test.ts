// With all cases instead of some, see test/support/cases.ts.
import './joint-questions.test.js';
