import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.before(() => service.run("CREATE DATABASE two_names PRECISION 'ns'"));
test.after.always(end);

const at = 1_700_000_000_000_000_000n;

/** Writes lines of InfluxDB's version 1. */
async function write(...lines: readonly string[]): Promise<void> {
  const reply = await service.request({ path: '/write?db=two_names', body: lines.join('\n') });
  if (reply.status !== 204) throw new Error(`${reply.status} ${reply.text}`);
}

const select = (what: string) => service.rows(`SELECT ${what} ORDER BY _ts`, { database: 'two_names' });

test('a field with the name of a tag is stored beside it, in one line', async (t) => {
  await write(`jenkins,project_name=ci_app build_number=12i,project_name="app" ${at}`);
  t.deepEqual(await select('project_name, field_project_name, build_number FROM jenkins'), [['ci_app', 'app', 12]]);
  await write(`jenkins,project_name=ci_app project_name="other",build_number=13i ${at + 1n}`);
  t.deepEqual(await select('project_name, field_project_name FROM jenkins'), [
    ['ci_app', 'app'],
    ['ci_app', 'other'],
  ]);
});

test('the first of a tag and a field of one name has it, whatever comes in one body or later', async (t) => {
  await write(`first_tag,type=ct v=1 ${at}`, `first_tag type="zfs",v=2 ${at + 1n}`);
  await write(`first_tag,type=qemu type="dir" ${at + 2n}`);
  t.deepEqual(await select('`type`, field_type, v FROM first_tag'), [
    ['ct', null, 1],
    [null, 'zfs', 2],
    ['qemu', 'dir', null],
  ]);
  await write(`first_field type="zfs",v=1 ${at}`, `first_field,type=ct v=2 ${at + 1n}`);
  await write(`first_field,type=qemu type="dir" ${at + 2n}`);
  t.deepEqual(await select('`type`, tag_type, v FROM first_field'), [
    ['zfs', null, 1],
    [null, 'ct', 2],
    ['dir', 'qemu', null],
  ]);
});

test('a field and a tag that really have a prefixed name are not those with the prefix', async (t) => {
  await write(`prefixed,x=a x=1,y=1 ${at}`);
  await write(`prefixed,x=a field_x=2 ${at}`);
  t.deepEqual(await select('x, field_x, field_field_x, y FROM prefixed'), [['a', 1, 2, 1]]);
  await write(`tagged x=1 ${at}`, `tagged,x=a v=1 ${at + 1n}`);
  await write(`tagged,tag_x=b v=2 ${at + 2n}`, `tagged,tag_x=b,x=c v=3 ${at + 3n}`);
  t.deepEqual(await select('x, tag_x, tag_tag_x, v FROM tagged'), [
    [1, null, null, null],
    [null, 'a', null, 1],
    [null, null, 'b', 2],
    [null, 'c', 'b', 3],
  ]);
});

test('statements see and fill the names of the table, and lines go on after columns were renamed', async (t) => {
  const sql = (statement: string) => service.run(statement, { database: 'two_names' });
  await write(`stated x=1 ${at}`, `stated,x=a v=1 ${at + 1n}`);
  await sql("INSERT INTO own USING stated TAGS (NULL, 'b') (_ts, x) VALUES (1700000000000000002, 5)");
  await sql("CREATE TABLE other USING stated (tag_x) TAGS ('c')");
  await sql('INSERT INTO other (_ts, x) VALUES (1700000000000000003, 6)');
  t.deepEqual(await select('x, tag_x FROM stated'), [
    [1, null],
    [null, 'a'],
    [5, 'b'],
    [6, 'c'],
  ]);
  await sql('ALTER STABLE stated RENAME TAG tag_x colour');
  await write(`stated,x=d x=7 ${at + 4n}`);
  t.deepEqual((await select('x, colour FROM stated')).at(-1), [7, 'd']);
});

test('texts that arrive at the same time agree about the names', async (t) => {
  const lines = [...Array(16).keys()].map((i) =>
    i % 2 === 0 ? `race,n=a${i} v=${i} ${at + BigInt(i)}` : `race n=${i},v=${i} ${at + BigInt(i)}`,
  );
  await Promise.all(lines.map((line) => write(line)));
  const columns = (await service.rows('DESCRIBE two_names.race')).map(([name]) => name);
  const [tag, field] = columns.includes('tag_n') ? ['tag_n', 'n'] : ['n', 'field_n'];
  const expected = lines.map((_, i) => (i % 2 === 0 ? [`a${i}`, null, i] : [null, i, i]));
  t.deepEqual(await select(`${tag}, ${field}, v FROM race`), expected);
});

test('measurements whose dots make them one table are told apart: the first has it', async (t) => {
  await write(`a.b_c,h=x v=1 ${at}`);
  for (const other of ['a_b.c', 'a.b.c', 'a_b_c']) {
    const body = `a.b_c,h=x v=2 ${at + 1n}\n${other},h=x v=3 ${at}`;
    const reply = await service.request({ path: '/write?db=two_names', body });
    t.is(reply.status, 400);
    const reason = `metric "${other}" cannot be stored in table "a_b_c", which holds metric "a.b_c"; rename one of them`;
    t.true(JSON.parse(reply.text).error.includes(`line 2: [0x3002] ${reason}`), reply.text);
  }
  t.deepEqual(await select('v FROM a_b_c'), [[1], [2]]);
  await service.run('DROP TABLE two_names.a_b_c');
  await write(`a_b.c,h=x v=4 ${at}`);
  t.deepEqual(await select('v FROM a_b_c'), [[4]]);
  await service.run('CREATE STABLE two_names.by_sql (_ts TIMESTAMP, v DOUBLE) TAGS (h NCHAR(9))');
  await write(`by.sql,h=x v=1 ${at}`);
  t.deepEqual(await select('v FROM by_sql'), [[1]]);
});

test('of measurements that arrive at the same time for one table, one has it', async (t) => {
  const names = ['q.x_y', 'q_x.y'];
  const replies = await Promise.all(
    [...Array(8).keys()].map(async (i) => {
      const name = names[i % 2];
      const { status } = await service.request({
        path: '/write?db=two_names',
        body: `${name} v=${i} ${at + BigInt(i)}`,
      });
      return { i, status };
    }),
  );
  const taken = replies.filter(({ status }) => status === 204).map(({ i }) => i);
  t.is(new Set(taken.map((i) => i % 2)).size, 1, taken.join());
  t.deepEqual(replies.map(({ status }) => status).sort(), [...Array(4).fill(204), ...Array(4).fill(400)]);
  t.deepEqual(
    await select('v FROM q_x_y'),
    taken.map((i) => [i]),
  );
});

test('a value whose column the format names keeps it beside a tag of that name, and gets another one where the tag was first', async (t) => {
  const put = async (body: string) => {
    const reply = await service.request({ path: '/tsdbwire/v1/put/telnet/two_names', body });
    t.is(reply.status, 204, reply.text);
  };
  await put('put telnet_value 1700000000 1 _value=b');
  t.deepEqual(await select('_value, tag__value FROM telnet_value'), [[1, 'b']]);
  await write(`tag_value,_value=b v=1 ${at - 1n}`);
  await put('put tag_value 1700000000 2 host=c');
  t.deepEqual(await select('_value, field__value, v FROM tag_value'), [
    ['b', null, 1],
    [null, 2, null],
  ]);
});

test('names of fields, tags and columns have up to 192 bytes, from lines and in statements', async (t) => {
  const [field, tag] = [`${'f'.repeat(190)}ж`, 't'.repeat(192)];
  await write(`long_names,${tag}=a ${field}=1i,docs=5i ${at}`);
  await write(`long_names,${tag}=b ${field}=2i ${at + 1n}`);
  t.deepEqual(await select(`\`${field}\`, ${tag}, docs FROM long_names`), [
    [1, 'a', 5],
    [2, 'b', null],
  ]);
  const sql = (statement: string) => service.run(statement, { database: 'two_names' });
  await sql(`CREATE STABLE long_made (ts TIMESTAMP, ${'c'.repeat(192)} INT) TAGS (${tag} INT)`);
  await sql(`ALTER STABLE long_made ADD COLUMN ${'d'.repeat(192)} INT`);
  await sql(`ALTER STABLE long_made RENAME TAG ${tag} ${'u'.repeat(192)}`);
  await sql(
    `INSERT INTO l1 USING long_made (${'u'.repeat(192)}) TAGS (7) (ts, ${'d'.repeat(192)}) VALUES (1700000000000000000, 8)`,
  );
  const query = `SELECT ${'d'.repeat(192)}, ${'u'.repeat(192)} FROM two_names.long_made WHERE ${'u'.repeat(192)} = 7`;
  t.deepEqual(await service.rows(query), [[8, 7]]);
  for (const body of [`long_names ${'f'.repeat(193)}=1 ${at}`, `long_names,${'t'.repeat(193)}=a v=1 ${at}`]) {
    const reply = await service.request({ path: '/write?db=two_names', body });
    t.deepEqual([reply.status, /longer than 192 bytes/.test(reply.text)], [400, true], reply.text);
  }
});
