// All doors with 100,000 bodies each; on two cores that takes an hour or more. `MUTATIONS` takes another number, `--match='4:*'` one door.
process.env.MUTATIONS ??= '100000';

await import('./mutated-doors.long.test.js');

export {};
