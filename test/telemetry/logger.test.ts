import { spawnSync } from 'node:child_process';
import test from 'ava';
import type { LogLevel } from '../../src/model/log-level.js';
import { componentLog, createLogger, type LogOutput } from '../../src/telemetry/logger.js';

function recorder(readable = false): { lines: string[]; output: LogOutput } {
  const lines: string[] = [];
  return { lines, output: { stream: { write: (line) => void lines.push(line) }, readable } };
}

test('writes one JSON object a line, with the level by name and the time as text', (t) => {
  const { lines, output } = recorder();
  componentLog(createLogger('info', output), 'sql').warn({ rows: 3 }, 'Slow statement.');
  t.is(lines.length, 1);
  t.regex(
    lines[0] ?? '',
    /^\{"level":"warn","time":"\d{4}-\d\d-\d\dT[\d:.]+Z","component":"sql","rows":3,"msg":"Slow statement\."\}\n$/,
  );
});

test('drops lines below the level', (t) => {
  const enabled: [LogLevel, string[]][] = [
    ['panic', []],
    ['fatal', []],
    ['error', ['e']],
    ['warn', ['e', 'w']],
    ['warning', ['e', 'w']],
    ['info', ['e', 'w', 'i']],
    ['debug', ['e', 'w', 'i', 'd']],
    ['trace', ['e', 'w', 'i', 'd']],
  ];
  for (const [level, expected] of enabled) {
    const { lines, output } = recorder();
    const log = componentLog(createLogger(level, output), 'x');
    log.error({}, 'e');
    log.warn({}, 'w');
    log.info({}, 'i');
    log.debug({}, 'd');
    t.deepEqual(
      lines.map((line) => /"msg":"(.)"/.exec(line)?.[1]),
      expected,
      level,
    );
  }
});

test('masks secrets in fields, in errors and in the bindings of a child', (t) => {
  const { lines, output } = recorder();
  const logger = createLogger('info', output);
  logger.child({ token: 'hunter2' }).info({ a: { password: 'hunter2' } }, 'One.');
  logger.error(Object.assign(new Error('Two.'), { authorization: 'hunter2' }));
  logger.error({ err: Object.assign(new Error('Three.'), { p: 'hunter2' }) }, 'Three.');
  t.is(lines.length, 3);
  t.notRegex(lines.join(''), /hunter2/);
  t.regex(lines[1] ?? '', /"type":"Error","message":"Two\.","stack":"Error: Two\./);
});

test('writes readable lines for a person', (t) => {
  const { lines, output } = recorder(true);
  componentLog(createLogger('info', output), 'sql').info({ rows: 3 }, 'Done.');
  t.regex(lines.join(''), /^\S+ \S+ INFO {2}sql: Done\. rows=3\n$/);
});

test('loses no line when the process ends at once', (t) => {
  const logger = new URL('../../src/telemetry/logger.js', import.meta.url).href;
  const program = `
    const { createLogger } = await import(${JSON.stringify(logger)});
    createLogger('info').info({ n: 1 }, 'Last words.');
    process.kill(process.pid, 'SIGKILL');
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  t.regex(stdout, /"n":1,"msg":"Last words\."/);
});
