// With all cases instead of some, see test/support/cases.ts.
import './hostexporter.test.js';
