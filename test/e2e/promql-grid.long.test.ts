import './promql-grid.test.js';
