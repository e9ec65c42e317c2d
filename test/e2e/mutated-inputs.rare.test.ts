// All inputs with 100,000 bodies each; on two cores that takes an hour or more. `MUTATIONS` takes another number, `--match='4:*'` one input.
process.env.MUTATIONS ??= '100000';

await import('./mutated-inputs.long.test.js');

export {};
