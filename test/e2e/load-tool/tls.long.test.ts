import test from 'ava';
import { certificates, secureTests, tlsArguments } from '../../support/certificates.js';
import { LoadTool } from '../../support/load/load-tool.js';
import { startService } from '../../support/service/service.js';

const { make, remove } = certificates();
const certificate = make('service');
const stranger = make('stranger');
const { service, end } = await startService(...tlsArguments(certificate));
const tool = new LoadTool(service, 'here');
test.after.always(async () => {
  tool.remove();
  await end();
  remove();
});

const secure = secureTests(certificate);

for (const mode of ['rest', 'sml-rest', 'taosc']) {
  secure(`the load tool writes over TLS (${mode}) with the certificate of the authority`, async (t, caFile) => {
    const database = `over_tls_${mode.replace('-', '_')}`;
    const server = ['-h', '127.0.0.1', '-P', String(service.port), '--ca-file', caFile];
    const ended = await tool.run([...server, '-I', mode, '-d', database, '-t', '3', '-n', '20', '-T', '2', '-y']);
    t.is(ended.code, 0, ended.out + ended.errors);
    t.deepEqual(await service.rows(`SELECT COUNT(*) FROM ${database}.meters`), [[60]]);
  });
}

secure('a file of the load tool says TLS too, and queries go over it', async (t, caFile) => {
  const query = {
    filetype: 'query',
    query_mode: 'rest',
    databases: 'over_tls_rest',
    host: '127.0.0.1',
    port: service.port,
    ca_file: caFile,
    specified_table_query: { sqls: [{ sql: 'select count(*) from meters', result: tool.path('counted') }] },
  };
  const ended = await tool.run(['-f', tool.file(JSON.stringify(query))]);
  t.is(ended.code, 0, ended.out + ended.errors);
  t.is(tool.written('counted'), '60\n');
});

secure('the load tool does not trust a stranger, and names certificates that it cannot read', async (t, caFile) => {
  const run = (...more: string[]) =>
    tool.run([
      '-h',
      '127.0.0.1',
      '-P',
      String(service.port),
      '-I',
      'rest',
      '-d',
      'x',
      '-t',
      '1',
      '-n',
      '1',
      '-y',
      ...more,
    ]);
  const cases: [string[], RegExp][] = [
    [['--tls'], /https:\/\/127\.0\.0\.1:\d+ cannot be reached: .*(?:self-signed|unable to verify)/],
    [['--ca-file', stranger?.certFile ?? ''], /cannot be reached: .*(?:self-signed|unable to verify|signature)/],
    [['--ca-file', '/nowhere.pem'], /The certificates in \/nowhere\.pem cannot be read/],
    [['--ca-file', caFile.replace(/crt$/, 'key')], /There is no certificate in/],
  ];
  for (const [more, said] of cases) {
    const ended = await run(...more);
    t.not(ended.code, 0);
    t.regex(ended.out + ended.errors, said);
  }
});
