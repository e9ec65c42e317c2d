import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { directoryFor, type Scope } from '../service/processes.js';
import { until } from '../until.js';

const jars = '/usr/share/java';

/** Why no keeper can be started on this machine; undefined where one can. */
export function missingKeeper(): string | undefined {
  if (!existsSync(join(jars, 'zookeeper.jar'))) return 'the package zookeeper is not installed';
  return spawnSync('java', ['-version']).status === 0 ? undefined : 'there is no Java';
}

/** A keeper on this machine, as the nodes of a cluster need it. */
export class TestKeeper {
  readonly port: number;
  readonly #directory: string;
  #child: ChildProcess | undefined;

  constructor(t: Scope, port: number) {
    this.port = port;
    this.#directory = directoryFor(t);
    t.teardown(() => this.kill());
    const lines = [
      'tickTime=500',
      `dataDir=${this.#directory}/data`,
      `clientPort=${port}`,
      'clientPortAddress=127.0.0.1',
    ];
    const more = ['admin.enableServer=false', 'maxClientCnxns=0', 'minSessionTimeout=1000', 'maxSessionTimeout=30000'];
    writeFileSync(join(this.#directory, 'zoo.cfg'), [...lines, ...more].join('\n'));
  }

  /** Starts it, also again after a kill, and waits until it answers. */
  async start(): Promise<void> {
    const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
    const memory = [
      '-Xmx128m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Dzookeeper.4lw.commands.whitelist=ruok',
    ];
    const args = [...memory, '-cp', `${jars}/*:${this.#directory}`, main, join(this.#directory, 'zoo.cfg')];
    // Whoever holds its standard input keeps it alive, so that it is gone with this process.
    const script = 'java "$@" & keeper=$!; cat >/dev/null; kill -9 $keeper; wait';
    const child = spawn('sh', ['-c', script, 'sh', ...args], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: this.#directory,
    });
    this.#child = child;
    await until(() => child.exitCode !== null || this.#answers());
    if (child.exitCode !== null) throw new Error('The keeper has ended.');
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.stdin?.end();
    await once(child, 'exit');
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.end('ruok'));
      let text = '';
      socket.on('data', (piece) => {
        text += piece.toString();
      });
      socket.setTimeout(1_000, () => socket.destroy());
      socket.on('error', () => resolve(false));
      socket.on('close', () => resolve(text === 'imok'));
    });
  }
}
