import test from 'ava';
import { redactUri } from '../../../src/http/request/redact.js';

test('passwords and tokens never show in a logged URI', (t) => {
  const cases = [
    ['/rest/sql?tz=UTC', '/rest/sql?tz=UTC'],
    ['/lineproto/v1/write?db=d&u=root&p=secret&precision=s', '/lineproto/v1/write?db=d&u=root&p=***&precision=s'],
    ['/x?%70=secret&P=secret&token=secret&p', '/x?%70=***&P=***&token=***&p'],
    ['/rest/login/root/secret?x=1', '/rest/login/root/***?x=1'],
    ['/rest/login/root/secret/more', '/rest/login/root/***'],
    ['/rest/%6cogin/root/secret', '/***'],
    ['/query?db=d&q=CREATE+USER+u+WITH+PASSWORD+%27secret%27', '/query?db=d&q=***'],
    ['/query?q=SHOW+DATABASES', '/query?q=SHOW+DATABASES'],
    ['/x?%zz=1', '/x?%zz=1'],
  ] as const;
  for (const [uri, shown] of cases) t.is(redactUri(uri), shown);
});
