import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { repository } from '../support/documents/documents.js';
import { directoryFor, run } from '../support/service/processes.js';
import { startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';

/** Drivers that others made for this dialect, each with a program of fixtures/drivers that prints what it finds. */
const { service, end } = await startService();
test.after.always(end);

/** Time for each step of fetching and building a driver, in ms; what takes longer is skipped. */
const fetching = 60_000;
const wholeTest = 300_000;
const programs = join(repository, 'fixtures/drivers');

/** What each is told of an unknown column, a word that begins no statement, and an unknown table. */
const refusals = ['refused 2602', 'refused 2600', 'refused 2603'];

/** Sources and output of Java in UTF-8 wherever it runs. */
const utf8 = ['file', 'stdout', 'sun.stdout'].map((what) => `-D${what}.encoding=UTF-8`);

/** Runs a program to its end, with the port of the service as the last argument, and gives its lines. */
async function lines(t: ExecutionContext, command: string, ...args: string[]): Promise<readonly string[]> {
  const program = run(t, command, [...args, String(service.port)]);
  t.is((await program.ended).code, 0, program.stderr() + program.stdout());
  return program.stdout().trim().split('\n');
}

/** True when a command succeeds; fetches what is missing. */
function succeeds(command: string, args: readonly string[], cwd?: string): boolean {
  return spawnSync(command, args, { cwd, timeout: fetching }).status === 0;
}

const jdbc = '3.2.7';
const jar = join(
  homedir(),
  `.m2/repository/com/taosdata/jdbc/taos-jdbcdriver/${jdbc}/taos-jdbcdriver-${jdbc}-dist.jar`,
);

test.serial(
  'the JDBC driver finds types, NULL, bound values, batches, large results and what the catalogue holds',
  async (t) => {
    t.timeout(wholeTest, 'the driver may have to be fetched');
    const artifact = `-Dartifact=com.taosdata.jdbc:taos-jdbcdriver:${jdbc}:jar:dist`;
    const isThere = existsSync(jar) || succeeds('mvn', ['-q', 'dependency:get', artifact, '-Dtransitive=false']);
    if (!isThere || !succeeds('javac', ['-version'])) {
      return skipped(t, 'there is no Java compiler, or its driver cannot be fetched');
    }
    await service.run('CREATE DATABASE jdbc');
    t.deepEqual(await lines(t, 'java', ...utf8, '-cp', jar, join(programs, 'Drive.java')), [
      'written 2',
      'types ts TIMESTAMP, b BOOL, i1 TINYINT, i2 SMALLINT, i4 INT, i8 BIGINT, u4 INT UNSIGNED, f FLOAT, d DOUBLE, s BINARY, n NCHAR, place NCHAR, x INT,',
      "rows true 1 2 3 9223372036854775807 4294967295 1.5 2.25 it's é😀 日本 1 | null null null null null null null null null null 日本 1 |",
      'prepared 1',
      "found 1700000002000 7 it's 0.0true false",
      'batch [1, 1]',
      'large 199990000',
      'product true',
      'catalogs information_schema | performance_schema | jdbc |',
      'tables large  | m1  | m STABLE |',
      'columns ts TIMESTAMP 23 | b BOOL 1 | i1 TINYINT 4 | i2 SMALLINT 6 | i4 INT 11 | i8 BIGINT 20 | u4 INT UNSIGNED 11 | f FLOAT 12 | d DOUBLE 22 | s VARCHAR 20 | n NCHAR 20 | place NCHAR 20 | x INT 11 |',
      'keys ts |',
      'super m |',
      ...refusals,
      'used 5 | true',
    ]);
  },
);

test.serial(
  'the REST connection for Python finds types, NULL, zones, large and wide results, and codes of errors',
  async (t) => {
    t.timeout(wholeTest, 'the package may have to be fetched');
    const directory = directoryFor(t);
    const python = join(directory, 'bin/python');
    const isThere =
      succeeds('python3', ['-m', 'venv', directory]) &&
      succeeds(python, ['-m', 'pip', 'install', '-q', 'taospy==2.8.10', 'requests', 'iso8601', 'pytz']);
    if (!isThere) return skipped(t, 'there is no Python with pip, or its package cannot be fetched');
    await service.run('CREATE DATABASE py');
    t.deepEqual(await lines(t, python, join(programs, 'drive.py')), [
      'version True',
      'written 2',
      "types [('ts', 'TIMESTAMP', 8), ('b', 'BOOL', 1), ('i8', 'BIGINT', 8), ('u8', 'BIGINT UNSIGNED', 8), ('d', 'DOUBLE', 8), ('s', 'VARCHAR', 20), ('n', 'NCHAR', 20), ('place', 'NCHAR', 20)]",
      `row 2023-11-15T07:13:20.123000+09:00 [True, 9223372036854775807, 18446744073709551615, 2.25, "it's", 'é😀', '日本']`,
      "row 2023-11-15T07:13:21.123000+09:00 [None, None, None, None, None, None, '日本']",
      "cursor [['tbname', 'VARCHAR', 192], ['count(*)', 'BIGINT', 8]] 1 ['m1', 2] None",
      'large 199990000',
      'wide 499500',
      ...refusals.map((line) => line.replace(/ (.*)/, ' [0x$1]')),
      'stranger True',
    ]);
  },
);

test.serial(
  'the REST driver for Go finds types, NULL, nanoseconds, bound values, large results and codes of errors',
  async (t) => {
    t.timeout(wholeTest, 'the module may have to be fetched');
    const directory = directoryFor(t);
    copyFileSync(join(programs, 'drive.go'), join(directory, 'drive.go'));
    const program = join(directory, 'drive');
    const isThere =
      succeeds('go', ['mod', 'init', 'drive'], directory) &&
      succeeds('go', ['get', 'github.com/taosdata/driver-go/v3/taosRestful@v3.5.8'], directory) &&
      succeeds('go', ['build', '-o', program, '.'], directory);
    if (!isThere) return skipped(t, 'there is no Go compiler, or its module cannot be fetched');
    await service.run("CREATE DATABASE go PRECISION 'ns'");
    t.deepEqual(await lines(t, program), [
      'written 2',
      'ts TIMESTAMP 8, b BOOL 1, i8 BIGINT 8, u8 BIGINT UNSIGNED 8, f FLOAT 4, d DOUBLE 8, s VARCHAR 20, n NCHAR 20, place NCHAR 20, ',
      "row 1700000000123456789 [true 9223372036854775807 18446744073709551615 1.5 2.25 it's é😀 日本]",
      'row 1700000001123456789 [<nil> <nil> <nil> <nil> <nil> <nil> <nil> 日本]',
      'bound 1',
      'large 199990000',
      ...refusals,
    ]);
  },
);
