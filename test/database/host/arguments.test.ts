import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const program = fileURLToPath(new URL('../../../src/engine.js', import.meta.url));

test('the engine host reports mistakes in its arguments and does not start', (t) => {
  for (const [argv, said] of [
    [['--port', 'x'], "option '--port' takes a whole number of at least 0"],
    [['--sessions=1'], "option '--sessions' takes a whole number of at least 2"],
    [['--pathh=a'], "unrecognized option '--pathh' (did you mean --path?)"],
    [['word'], 'Too many arguments'],
  ] as const) {
    const { status, stderr } = spawnSync(process.execPath, [program, ...argv], { encoding: 'utf8' });
    t.is(status, 2, argv.join(' '));
    t.is(stderr, `sluice-engine: ${said}\n`);
  }
  const help = spawnSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  t.is(help.status, 0);
  t.regex(help.stdout, /--sessions <number> +most statements at the same time \(default: \d+\)/);
});
