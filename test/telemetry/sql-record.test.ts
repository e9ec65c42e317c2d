import test from 'ava';
import { recordLine, withoutSecrets } from '../../src/telemetry/sql-record.js';

test('a statement is one line with time, process, request, URI, method and client', (t) => {
  const line = recordLine(
    { requestId: '7', uri: '/rest/sql/d?tz=UTC', method: 'POST', client: '10.0.0.9', statement: 'SELECT 1\r\n, 2' },
    new Date(2026, 10, 21, 12, 1, 2, 3),
  );
  const pid = String(process.pid).padStart(8, '0');
  t.is(line, `2026-11-21 12:01:02.003 ${pid} 7 '/rest/sql/d?tz=UTC' 'POST' '10.0.0.9' SELECT 1\\r\\n, 2\n`);
});

test('passwords in statements are masked', (t) => {
  t.is(withoutSecrets("CREATE USER u PASS 'Se\\'cret1!' SYSINFO 0"), "CREATE USER u PASS '******' SYSINFO 0");
  t.is(withoutSecrets("alter user u pass'Secret1!'"), "alter user u pass'******'");
  t.is(withoutSecrets("CREATE USER u PASS ''Secret1!'' SYSINFO 0"), "CREATE USER u PASS '******' SYSINFO 0");
  t.is(withoutSecrets('create user u pass Secret1! sysinfo 0'), "create user u pass '******' sysinfo 0");
  t.is(withoutSecrets('SELECT pass FROM users'), 'SELECT pass FROM users');
  t.is(withoutSecrets("alter user u pass /* x */ -- y\n'Secret1!'"), "alter user u pass /* x */ -- y\n'******'");
  t.is(withoutSecrets('ALTER USER u PASS "Sec""ret"'), "ALTER USER u PASS '******'");
  t.is(withoutSecrets("CREATE USER u PASS 'unfinished"), "CREATE USER u PASS '******'");
  t.is(withoutSecrets("INSERT INTO t VALUES (1, 'pass it on')"), "INSERT INTO t VALUES (1, 'pass it on')");
});

test('comments before a literal take linear time, and behind very many all of the rest is masked', (t) => {
  const comments = '/**/'.repeat(100);
  t.is(withoutSecrets(`select pass${comments}x`), `select pass${comments}x`);
  t.is(withoutSecrets(`select pass${comments}'Secret1!' x`), `select pass${comments}'******' x`);
  const many = withoutSecrets(`alter user u pass ${comments.repeat(10)} 'Secret1!' sysinfo 0`);
  t.regex(many, /^alter user u pass [/*]+'\*{6}'$/);
  for (const part of ['pass --', 'pass/*', 'pass--\n', "pass/*pass*/'", 'create user ', 'identified  ']) {
    t.false(withoutSecrets(`${part.repeat(100_000)}'Secret1!'`).length === 0, part);
  }
});
