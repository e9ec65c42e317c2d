import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../support/service/free-ports.js';
import { directoryFor } from '../support/service/processes.js';
import { root, startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { comesTrue } from '../support/until.js';

const { service, end } = await startService('--smlAutoCreateDB=true');
test.after.always(end);

const start = 1_700_000_000;
const api = `http://127.0.0.1:${service.port}/prometheus/shop`;

/** Runs a program to its end, without holding up the service's own process. */
async function run(program: string, ...args: readonly string[]): Promise<{ code: number; out: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode ?? -1, out: out + errors };
}

function isMissing(t: ExecutionContext, program: string): boolean {
  if (spawnSync(program, ['--version']).status === 0) return false;
  skipped(t, `the program \`${program}\` is not installed (see .ci/install-agents)`);
  return true;
}

test.before(async () => {
  const lines = [0, 30, 60].map((after) => `orders_total{site="north"} ${after / 10} ${(start + after) * 1000}`);
  const body = `# TYPE orders counter\n${lines.join('\n')}\norders_total{site="south"} 7 ${(start + 60) * 1000}\n`;
  const { status, text: said } = await service.request({ path: '/api/v1/import/prometheus?db=shop', body });
  if (status >= 300) throw new Error(said);
});

test('promtool asks for values, series and labels', async (t) => {
  if (isMissing(t, 'promtool')) return;
  const url = `http://${root.user}:${root.password}@127.0.0.1:${service.port}/prometheus/shop`;
  const ask = (...args: readonly string[]) => run('promtool', 'query', ...args);
  const instant = await ask('instant', `--time=${start + 60}`, url, 'sum(orders_total)');
  t.deepEqual(instant, { code: 0, out: `{} => 13 @[${start + 60}]\n` });
  const range = await ask(
    'range',
    `--start=${start}`,
    `--end=${start + 60}`,
    '--step=30s',
    url,
    'orders_total{site="north"}',
  );
  t.is(range.code, 0, range.out);
  t.regex(range.out, new RegExp(`0 @\\[${start}\\]\\n3 @\\[${start + 30}\\]\\n6 @\\[${start + 60}\\]`));
  const series = await ask('series', '--match=orders_total', `--start=${start}`, `--end=${start + 60}`, url);
  t.is(series.code, 0, series.out);
  t.regex(series.out, /site="north"/);
  t.regex((await ask('labels', `--start=${start}`, `--end=${start + 60}`, url, 'site')).out, /north\nsouth/);
  const wrong = await ask('instant', url, 'sum(');
  t.not(wrong.code, 0);
  t.regex(wrong.out, /bad_data/);
});

test('a Prometheus server takes over the newest samples by federation', async (t) => {
  if (isMissing(t, 'prometheus')) return;
  const now = Date.now();
  await service.request({ path: '/api/v1/import/prometheus?db=shop', body: `stock{site="north"} 5 ${now}\n` });
  const directory = directoryFor(t);
  const file = join(directory, 'prometheus.yml');
  writeFileSync(
    file,
    `scrape_configs:
  - job_name: sluice
    scrape_interval: 1s
    honor_labels: true
    metrics_path: /prometheus/shop/federate
    params: { 'match[]': ['stock'] }
    basic_auth: { username: ${root.user}, password: ${root.password} }
    static_configs: [ { targets: [ '127.0.0.1:${service.port}' ] } ]
`,
  );
  const port = await freePort();
  const storage = `--storage.tsdb.path=${join(directory, 'data')}`;
  const flags = [`--config.file=${file}`, storage, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn('prometheus', flags, { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  let last = '';
  const came = await comesTrue(async () => {
    try {
      last = await (await fetch(`http://127.0.0.1:${port}/api/v1/query?query=stock`)).text();
    } catch (error) {
      last = String(error);
    }
    return last.includes('"site":"north"') && last.includes('"5"');
  }, 40_000);
  t.true(came, last);
});

test('the client of Prometheus for Go reads everything', async (t) => {
  const program = join(homedir(), 'go', 'bin', 'promql-client');
  if (!existsSync(program)) {
    skipped(t, 'the program `promql-client` is not built (see .ci/build-agents)');
    return;
  }
  const { code, out } = await run(program, api, root.user, root.password);
  t.is(code, 0, out);
  t.deepEqual(
    out
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('wrong')),
    [
      `query {} => 13 @[${start + 60}]`,
      'range orders_total{site="north"} =>',
      `0 @[${start}]`,
      `3 @[${start + 30}]`,
      `6 @[${start + 60}]`,
      'orders_total{site="south"} =>',
      `7 @[${start + 60}]`,
      'labels __name__, site',
      'values [north south]',
      'series 2',
      'metadata counter',
      'version 3.',
    ],
  );
  t.regex(out, /wrong bad_data: invalid parameter "query": 1:5: parse error/);
});

/** Requests of Grafana's data source, sent with the client that most programs in Python use. */
const python = `
import requests, sys
session = requests.Session()
session.auth = (sys.argv[2], sys.argv[3])
def data(path, **parameters):
    answer = session.post(sys.argv[1] + "/api/v1/" + path, data=parameters, headers={"Accept-Encoding": "gzip"})
    answer.raise_for_status()
    return answer.json()["data"]
print(data("query", query="1+1", time=${start})["result"])
print(data("query_range", query="orders_total", start=${start}, end=${start + 60}, step="60")["result"][0]["values"])
print(data("labels", **{"match[]": ["orders_total"]}))
print(session.get(sys.argv[1] + "/api/v1/label/site/values").json()["data"])
print(session.get(sys.argv[1] + "/api/v1/status/buildinfo").json()["status"])
print(session.post(sys.argv[1] + "/api/v1/query", data={"query": "sum("}).status_code)
`;

test('a client in Python reads by forms', async (t) => {
  if (spawnSync('python3', ['-c', 'import requests']).status !== 0) {
    skipped(t, 'the package `requests` of Python is not installed (see .ci/install-agents)');
    return;
  }
  const { code, out } = await run('python3', '-c', python, api, root.user, root.password);
  t.is(code, 0, out);
  t.deepEqual(out.trim().split('\n'), [
    `[${start}, '2']`,
    `[[${start}, '0'], [${start + 60}, '6']]`,
    "['__name__', 'site']",
    "['north', 'south']",
    'success',
    '400',
  ]);
});
