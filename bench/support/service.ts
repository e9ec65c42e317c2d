import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const adapter = fileURLToPath(new URL('../../src/adapter.js', import.meta.url));
/** How answers begin that are not errors. */
const okHead = '{"code":0,';
const authorization = `Basic ${Buffer.from('root:taosdata').toString('base64')}`;

/** A running service on free ports with a database directory of its own. */
export interface BenchService {
  readonly port: number;
  /** Port of the engine; of a cluster, that of one node. */
  readonly enginePort: number;
  /** Password of the engine's user `default`. */
  readonly secret: string;
  readonly process: ChildProcess;
  sql(statement: string, database?: string): Promise<readonly (readonly unknown[])[]>;
  /** The answer of a statement as it came, which is not an error. */
  answer(statement: string, database?: string): Promise<Buffer>;
  stop(): Promise<void>;
}

/** Starts the built service as a process of its own. */
export async function startBenchService(settings: readonly string[] = []): Promise<BenchService> {
  const path = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const secret = 'bench';
  const ports = ['--port=0', '--database.port=0', '--statsgw.port=0', '--agentd.port=0'];
  const places = [`--database.path=${path}`, `--log.path=${path}/log`];
  // On a cluster the settings say who asks it, and its log needs a place.
  const isCluster = settings.includes('--database.mode=cluster');
  const own = [...ports, ...places, isCluster ? `--wal.path=${path}/wal` : `--database.password=${secret}`];
  const child = spawn(process.execPath, [adapter, ...own, ...settings], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { port, engine } = await listening(child);
  const agent = new Agent({ keepAlive: true });
  const answer: BenchService['answer'] = async (statement, database) => {
    const path = database === undefined ? '/rest/sql' : `/rest/sql/${database}`;
    const { body } = await post(agent, port, path, Buffer.from(statement));
    if (body.toString('latin1', 0, okHead.length) === okHead) return body;
    throw new Error(`${statement.slice(0, 100)}: ${body}`);
  };
  return {
    port,
    enginePort: Number(new URL(engine.split(',')[0]!).port),
    secret,
    process: child,
    answer,
    async sql(statement, database) {
      const { data }: { data: unknown[][] } = JSON.parse((await answer(statement, database)).toString());
      return data;
    },
    async stop() {
      agent.destroy();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(path, { recursive: true, force: true });
    },
  };
}

async function listening(child: ChildProcess): Promise<{ port: number; engine: string }> {
  if (child.stdout === null) throw new Error('The service has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const entry: { port?: number; engine?: string } = JSON.parse(line);
    if (entry.port !== undefined && entry.engine !== undefined) {
      child.stdout.resume();
      return { port: entry.port, engine: entry.engine };
    }
  }
  throw new Error('The service ended before it listened.');
}

/** One request; resolves with status and body. */
export function post(
  agent: Agent,
  port: number,
  path: string,
  body: Uint8Array,
  others: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, 'content-length': body.length, ...others };
    const call = request({ agent, port, path, method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Sends all bodies over some connections, each taking the next one; resolves with the seconds it took. */
export async function sendAll(
  port: number,
  path: string,
  bodies: readonly Uint8Array[],
  connections: number,
  expected = 204,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const begun = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (;;) {
      const body = bodies[next++];
      if (body === undefined) return;
      const answer = await post(agent, port, path, body, headers);
      if (answer.status !== expected) throw new Error(`Status ${answer.status}: ${answer.body}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return (performance.now() - begun) / 1000;
}

/** User plus system CPU seconds of a process and its children, and peak memory of the process, where /proc tells. */
export function usage(pid: number): { readonly cpuSeconds: number; readonly peakMegabytes: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100, peakMegabytes: Number(peak?.[1] ?? 0) / 1024 };
}
