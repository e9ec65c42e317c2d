import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import type { LoadReport, SubscribeReport } from '../../../src/load/model/report.js';
import { LoadTool } from '../../support/load/load-tool.js';
import { type Rows, rowsSoon } from '../../support/service/rows-soon.js';
import { startService } from '../../support/service/service.js';

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));
const { service, end } = await startService();
const tool = new LoadTool(service, 'here');
cpSync(examples, tool.path('examples'), { recursive: true });
test.after.always(async () => {
  await end();
  tool.remove();
});

/** Examples in the order in which they can be run; with a port of their own they are for the HTTP service. */
const order = [
  'insert.json',
  'insert-csv.json',
  'insert-bound.json',
  'insert-rest.json',
  'insert-lines.json',
  'insert-lines-rest.json',
  'insert-stream.json',
  'query.json',
  'query-mixed-rest.json',
  'subscribe.json',
];

for (const name of order) {
  test.serial(`${name} runs as it is from another directory, and -P names the port`, async (t) => {
    const content: { port?: number } = JSON.parse(readFileSync(`${examples}${name}`, 'utf8'));
    const port = content.port === undefined ? tool.enginePort : service.port;
    const run = await tool.run(['-f', tool.path(`examples/${name}`), '-P', String(port)]);
    t.is(run.code, 0, `${run.out}\n${run.errors}`);
    t.notRegex(run.errors, /WARN|ERROR/);
  });
}

test.serial('every example file of the load tool is run here', (t) => {
  const files = readdirSync(examples).filter((name) => name.endsWith('.json'));
  t.deepEqual(files.sort(), order.toSorted());
});

for (const [statement, rows] of [
  ['SELECT COUNT(*), MIN(rpm) >= 900, MAX(rpm) < 1500 FROM plant.motors', [[10000, true, true]]],
  ['SELECT LAST(ts) FROM plant.pumps', [['2026-02-01T01:39:00.000Z']]],
  ['SELECT COUNT(*) FROM plant.pump_4', [[100]]],
  ['SELECT DISTINCT town FROM weather.stations ORDER BY town', [['lhasa'], ['oslo'], ['quito'], ['rome']]],
  ['SELECT COUNT(*), SUM(humidity) FROM weather.station_3', [[24, 1224]]],
  ['SELECT sky FROM weather.station_0 LIMIT 4', [['cloudy'], ['rain, light'], ['clear'], ['cloudy']]],
  [
    'SELECT FIRST(ts), LAST(ts) FROM lab.probes',
    [['2026-02-01T00:00:00.000000000Z', '2026-02-01T00:00:00.000999000Z']],
  ],
  ['SELECT DISTINCT tbname FROM lab.probes ORDER BY tbname', [2, 3, 4, 5, 6, 7].map((at) => [`probe_${at}`])],
  ['SELECT COUNT(*), COUNT(c0), COUNT(c1), COUNT(c2), COUNT(c3) FROM shop.till', [[200, 200, 200, 0, 0]]],
  ['SELECT COUNT(busy), COUNT(switches) FROM metrics.cpu', [[400, 400]]],
  ['SELECT COUNT(*) FROM metrics_json.load', [[400]]],
  ['SELECT COUNT(*) FROM grid.meters', [[1000]]],
] as const) {
  test.serial(`afterwards ${statement} is right`, async (t) => {
    t.deepEqual(await service.rows(statement), rows);
  });
}

test.serial('the stream of an example fills its target', async (t) => {
  const isFull = (rows: Rows): boolean => rows[0]?.[0] === 100;
  const rows = await rowsSoon(service, 'grid', 'SELECT COUNT(*) FROM power_of_ten_seconds', isFull);
  t.deepEqual(rows, [[100]]);
});

test.serial('queries and subscriptions have kept their rows', (t) => {
  t.is(tool.written('motors.txt'), '10000\n'.repeat(40));
  const last = tool.written('last.txt').trimEnd().split('\n');
  t.is(last.length, 40);
  const read = [0, 1].flatMap((consumer) => tool.written(`rows_${consumer}`).match(/^table: motor_\d+, row: /gm) ?? []);
  t.is(read.length, 10000);
});

test.serial('both reports of an insertion and of a subscription are written', async (t) => {
  const inserted = await tool.arguments('-d', 'reported', '-t', '3', '-n', '50', '--json', 'i.json', '--html=i.html');
  t.is(inserted.code, 0, inserted.errors);
  const report: LoadReport = JSON.parse(tool.written('i.json'));
  t.is(report.totals.rows, 150);
  t.regex(tool.written('i.html'), /<title>Load run of .*<td>reported\.meters<\/td>/s);
  const tmq = { poll_delay: 2000, topic_list: [{ name: 'reported', sql: 'SELECT * FROM reported.meters' }] };
  const reports = { result_json_file: 's.json', result_html_file: 's.html' };
  const read = await tool.scenario({ filetype: 'subscribe', ...reports, tmq_info: tmq });
  t.is(read.code, 0, read.errors);
  const subscription: SubscribeReport = JSON.parse(tool.written('s.json'));
  t.is(subscription.rows, 150);
  t.regex(tool.written('s.html'), /<title>Subscription of /);
  for (const name of ['i.json', 'i.html', 's.json', 's.html']) t.notRegex(tool.written(name), /taosdata/);
});
