/** The shapes in the sizes of an attack. */
await import('./hostile-shapes.test.js');
