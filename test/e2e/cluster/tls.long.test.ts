import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import test from 'ava';
import { certificates, type TestCertificate } from '../../support/certificates.js';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import { freePorts } from '../../support/service/free-ports.js';
import {
  adapterProgram,
  directoryFor,
  fileScope,
  rowsOf,
  run,
  startAdapter,
  writeLines,
} from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const { scope, end } = fileScope();
test.after.always(end);

/** Speaks TLS in front of a port of this machine, and gives the port where it does. */
async function secureLine(to: number, { certFile, keyFile }: TestCertificate): Promise<number> {
  const options = { cert: readFileSync(certFile), key: readFileSync(keyFile), allowHalfOpen: true };
  const server = createServer(options, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    near.on('error', () => far.end()).on('close', () => far.end());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  scope.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('nodes are asked over TLS with the authority and the password of files, and others are not trusted', async (t) => {
  const missing = missingCluster(false);
  if (missing !== undefined) return skipped(t, missing);
  const { make, remove } = certificates();
  scope.teardown(remove);
  const [known, foreign] = [make('known'), make('foreign')];
  if (known === undefined || foreign === undefined) return skipped(t, 'there is no openssl');
  const cluster = await startCluster(scope, { shards: 1, replicas: 2, keeper: false });
  const ports = await Promise.all(cluster.nodes.map(({ place }) => secureLine(place.httpPort, known)));
  const passwordFile = join(directoryFor(scope), 'password');
  writeFileSync(passwordFile, `${cluster.password}\n`);
  const others = cluster.settings.filter((text) => !/^--database\.(?:urls|password)=/.test(text));
  const urls = ports.map((port) => `https://127.0.0.1:${port}`).join(',');
  const settings = (ca: TestCertificate): readonly string[] => [
    ...others,
    `--database.urls=${urls}`,
    `--database.passwordFile=${passwordFile}`,
    `--database.caFile=${ca.certFile}`,
  ];

  const refused = run(scope, process.execPath, [adapterProgram, ...freePorts, ...settings(foreign)]);
  t.not((await refused.ended).code, 0);
  t.regex(refused.stderr(), /certificate/i);

  const adapter = await startAdapter(scope, [...settings(known), '--write.ack=stored']);
  const write = async (value: number): Promise<void> => {
    const { status, text } = await writeLines(adapter, 'd', `m,k=a v=${value} ${startMs + value}`);
    t.is(status, 204, text);
  };
  await write(1);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m'), [[1]]);
  const { pid } = adapter;
  const shown = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join('');
  t.false(shown.includes(cluster.password), 'no list of processes shows the password');
  t.false(adapter.stdout().includes(cluster.password));
  // A node that dies is missed, and found again, behind TLS as without.
  const [, second] = cluster.nodes;
  await second!.kill();
  await write(2);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m'), [[2]]);
  await second!.start();
  const areBack = async (): Promise<boolean> =>
    (
      await rowsOf(adapter, "SELECT count(*) FROM information_schema.ins_dnodes WHERE status = 'offline' OR note <> ''")
    )[0]?.[0] === 0;
  t.true(await until(areBack));
});
