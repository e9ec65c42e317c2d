import test from 'ava';
import { Codes } from '../../../src/model/fault.js';
import { moreCases } from '../../support/cases.js';
import { sharedService } from '../../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

const base = 1_700_000_000_000;

/** `one`: a column of every kind, a row of values and a row of NULLs. `st`: two sub-tables that share no time. */
test.before(async () => {
  await service.run('CREATE DATABASE s');
  await service.run(
    'CREATE TABLE s.one (ts TIMESTAMP, i INT, u BIGINT UNSIGNED, d DOUBLE, f FLOAT, c DECIMAL(30,5), b BOOL, v VARCHAR(8), n NCHAR(8), x VARBINARY(8), g GEOMETRY(64), t TIMESTAMP)',
  );
  const cells = "-3, 18446744073709551615, 0.5, 0.2, -7.25, true, 'b', '本', '\\\\x02', 'POINT(1 3)', 5000";
  await service.run(`INSERT INTO s.one VALUES (${base}, ${cells}) (${base + 1}, ${'NULL, '.repeat(10)}NULL)`);
  await service.run('CREATE STABLE s.st (ts TIMESTAMP, v INT) TAGS (l VARCHAR(8))');
  await service.run(
    `INSERT INTO s.a USING s.st TAGS ('x') VALUES (${base}, 1) (${base + 1000}, 3) s.b USING s.st TAGS (NULL) VALUES (${base + 500}, 10) (${base + 1500}, NULL)`,
  );
});

/** Calls of functions of one row; `?` is the argument. */
const scalars =
  "abs(?);round(?,1);truncate(?,1);sign(?);ceil(?);sqrt(?);pow(?,2);log(?,2);mod(?,2);greatest(?,1);least(?,'a');crc32(?);rand(?);" +
  "length(?);char_length(?);upper(?);trim(?);substring(?,1);concat(?,'a');concat_ws(',',?,'a');replace(?,'a','b');repeat(?,2);" +
  "position('a' in ?);find_in_set(?,'a');like_in_set(?,'a');ascii(?);char(?);md5(?);sha2(?,256);to_base64(?);from_base64(?);" +
  'cast(? as int);cast(? as bigint unsigned);cast(? as double);cast(? as varchar(5));cast(? as nchar(5));cast(? as bool);' +
  "cast(? as timestamp);cast(? as decimal(10,2));to_iso8601(?);to_unixtimestamp(?);to_char(?,'YYYY');timediff(?,ts);" +
  "timetruncate(?,1h);week(?);weekday(?);date(?);if(?,1,2);ifnull(?,1);nvl2(?,1,2);nullif(?,?);coalesce(?,'x');isnull(?);" +
  "case when ? then 1 else 2 end;st_astext(?);st_intersects(?,?);st_covers(?,?);-?;? + 1;? = 1;? LIKE 'a%';? IN (1, 2)";

const aggregates =
  'count(?);sum(?);avg(?);min(?);max(?);spread(?);stddev(?);var_samp(?);first(?);last(?);last_row(?);mode(?);hyperloglog(?);' +
  "percentile(?,50);percentile(?,50,60);apercentile(?,50);apercentile(?,50,'t-digest');leastsquares(?,1,1);" +
  "histogram(?,'user_input','[0,1,5]',1);twa(?);irate(?);increase(?);rate(?);histogram_quantile(0.5,?,?);elapsed(?);corr(?,?);group_concat(?,',')";

const series =
  "diff(?);diff(?,3);derivative(?,1s,0);csum(?);mavg(?,2);statecount(?,'GT',1);stateduration(?,'GT',1.5,1s);lag(?);lead(?,1,2);" +
  'fill_forward(?);top(?,1);bottom(?,2);sample(?,1);tail(?,1);unique(?)';

function calls(list: string, argument: string): string[] {
  return list.split(';').map((call) => call.replaceAll('?', argument));
}

/** Every third one, so that the run does not take long. */
function some(list: readonly string[]): readonly string[] {
  const step = moreCases(3, 1);
  return list.filter((_, at) => at % step === 0);
}

/** Runs statements side by side and gives those that end in anything but rows or a refusal of the dialect. */
async function broken(statements: readonly string[]): Promise<string[]> {
  const failures: string[] = [];
  const open = [...statements];
  const work = async (): Promise<void> => {
    for (let sql = open.pop(); sql !== undefined; sql = open.pop()) {
      const { status, body, text } = await service.sql(sql, { database: 's' });
      if (status !== 200 || body.code === Codes.free) failures.push(`${sql}: ${text.slice(0, 300)}`);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return failures;
}

test('every function answers or refuses every type, and never leaves it to the engine', async (t) => {
  const columns = ['i', 'u', 'd', 'c', 'b', 'v', 'n', 'x', 'g', 'ts', '1', 'NULL', '1s'];
  const all = columns.flatMap((column) => calls(`${scalars};${aggregates};${series}`, column));
  t.deepEqual(await broken(some(all).map((call) => `SELECT ${call} FROM one`)), []);
});

test('every function answers or is refused in every place', async (t) => {
  const places = [
    'PARTITION BY tbname',
    'PARTITION BY l ORDER BY l LIMIT 1',
    'GROUP BY tbname',
    'GROUP BY l HAVING count(*) > 0',
    'INTERVAL(1s)',
    'PARTITION BY tbname INTERVAL(2s) SLIDING(1s)',
    `WHERE ts >= ${base} AND ts < ${base + 5000} INTERVAL(1s) FILL(LINEAR)`,
    'PARTITION BY tbname SESSION(ts, 1s)',
    'COUNT_WINDOW(2)',
  ];
  const all = places.flatMap((place) =>
    calls(`${aggregates};${series}`, 'v').map((call) => `SELECT ${call} FROM st ${place}`),
  );
  // Nine places and four are no multiples of each other: every function and every place is in any run.
  t.deepEqual(await broken(some(all)), []);
});
