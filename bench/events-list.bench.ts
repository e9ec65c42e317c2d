import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { pathToFileURL } from 'node:url';
import { EngineClient } from '../src/database/engine/client.js';
import { EventsStore } from '../src/database/store/events-store.js';
import { startBenchService, usage } from './support/service.js';

const count = 1_000_000;
const elements = 20_000;
const stepMs = 5_000;
const asks = 15;

/** Fills the store with events of some two months, of which one in a hundred is open; nearly all were updated once. */
async function fill(engine: EngineClient): Promise<number> {
  await new EventsStore(engine).prepare();
  const begun = Date.now() - count * stepMs;
  const never = Number.MAX_SAFE_INTEGER;
  for (const version of [1, 2]) {
    for (let from = 0; from < count; from += 100_000) {
      const start = `${begun} + number * ${stepMs}`;
      const hex = `leftPad(lower(hex(${start})), 12, '0')`;
      const id = `concat(substring(${hex}, 1, 8), '-', substring(${hex}, 9, 4), '-7000-8000-', leftPad(lower(hex(number)), 12, '0'))`;
      const status = version === 1 ? '0' : 'if(number % 100 = 0, 0, 2)';
      const event = `concat('{"id":"', ${id}, '","title":"temperature of element ', toString(number % ${elements}), ' is above 80","description":"What happened, and what to do about it.","rule":"hot","value":81.5,"threshold":80,"count":12,"attributes":{"host":"web01","database":"db","table":"t"}}')`;
      await engine.exec(
        `INSERT INTO sluice.events (start, id, slot, status, severity, element, rule, end, database, \`table\`, opened, version, event)
         SELECT ${start}, ${id}, cityHash64(number), ${status}, number % 3, concat('element-', toString(number % ${elements})), 'hot',
         if(${status} = 2, ${start} + 600000, ${never}), concat('db', toString(number % 5)), 't', number, ${version}, ${event}
         FROM numbers(${from}, 100000)`,
      );
    }
  }
  return begun;
}

function get(agent: Agent, port: number, path: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Basic ${Buffer.from('root:taosdata').toString('base64')}` };
  return new Promise((resolve, reject) => {
    const call = request({ agent, port, path, method: 'GET', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    call.on('error', reject);
    call.end();
  });
}

/** Processor seconds of processes so far. */
function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + usage(pid).cpuSeconds, 0);
}

/** Paging and filtering through a million events, over HTTP. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  const url = `http://127.0.0.1:${service.enginePort}`;
  const engine = new EngineClient({ url, user: 'default', password: service.secret });
  const agent = new Agent({ keepAlive: true });
  const pid = service.process.pid!;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const pids = [pid, ...children];
  try {
    const begun = await fill(engine);
    const middle = begun + (count / 2) * stepMs;
    const queries = {
      'no filter': '',
      'the last page': `?pageNum=${count / 20}`,
      'status=active': '?status=active',
      'status=resolved, severity=warning': '?status=resolved&severity=warning',
      'one element': '?elementId=element-77',
      'an hour in the middle': `?from=${middle}&to=${middle + 3_600_000}`,
      'all filters': `?from=${middle}&to=${middle + 86_400_000}&status=resolved&severity=info&elementId=element-77`,
      '1,000 on a page': '?pageSize=1000',
    };
    for (const state of ['as it was written', 'a minute later']) {
      if (state !== 'as it was written') await new Promise((resolve) => setTimeout(resolve, 60_000));
      for (const [name, query] of Object.entries(queries)) {
        const times: number[] = [];
        const cpuBefore = cpuSeconds(pids);
        let total = 0;
        for (let i = 0; i < asks; i++) {
          const before = performance.now();
          const { status, text } = await get(agent, service.port, `/api/v1/events${query}`);
          times.push(performance.now() - before);
          if (status !== 200) throw new Error(`${status}: ${text}`);
          const page: { total: number } = JSON.parse(text);
          total = page.total;
        }
        const cpuMs = ((cpuSeconds(pids) - cpuBefore) * 1000) / asks;
        times.sort((a, b) => a - b);
        const [p50, p95] = [0.5, 0.95].map((part) => (times[Math.floor(part * (asks - 1))] ?? 0).toFixed(0));
        console.log(
          `1 M events, ${state}, ${name} (${total}): p50 ${p50} ms, p95 ${p95} ms, ${cpuMs.toFixed(0)} CPU ms`,
        );
      }
    }
  } finally {
    agent.destroy();
    await engine.close();
    await service.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
