// Copies a database of TDengine through its REST interface: super tables, sub-tables, normal tables and their rows.
//   node tdengine.mjs http://user:password@tdengine:6041 DATABASE http://user:password@sluice:6041 [DATABASE THERE]
const [source, database, target, there = database] = process.argv.slice(2);
if (target === undefined) throw new Error('Usage: tdengine.mjs SOURCE_URL DATABASE TARGET_URL [DATABASE THERE]');
const rowsPerRequest = 2000;

/** Runs a statement; the rows of its answer. Whole numbers that JavaScript cannot hold are texts of their digits. */
async function run(address, statement, place = '') {
  const { origin, username, password } = new URL(address);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const path = place === '' ? '/rest/sql' : `/rest/sql/${encodeURIComponent(place)}`;
  const headers = { authorization: `Basic ${login}` };
  const answer = await fetch(new URL(path, origin), { method: 'POST', headers, body: statement });
  const text = await answer.text();
  const exact = text.replaceAll(/("(?:[^"\\]|\\.)*")|(-?\d{16,})(?![\d.eE])/g, (all, quoted) => quoted ?? `"${all}"`);
  const { code, desc, column_meta, data } = JSON.parse(exact);
  if (code !== 0) throw new Error(`${desc}\n${statement.slice(0, 500)}`);
  return { columns: column_meta, rows: data };
}

const asked = async (statement) => (await run(source, statement, database)).rows;
const name = (text) => `\`${text.replaceAll('`', '``')}\``;
const text = (value) => `'${String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A value as a literal of its type. */
function literal(value, type) {
  if (value === null) return 'NULL';
  if (/^(VARBINARY|BLOB)/.test(type)) return `'\\x${value}'`;
  if (type === 'JSON') return text(JSON.stringify(value));
  return /^(BOOL|FLOAT|DOUBLE|(TINY|SMALL|BIG)?INT( UNSIGNED)?)$/.test(type) ? String(value) : text(value);
}

/** Copies the rows of a table, which `from` names; the head of each INSERT is made of the columns of the answer. */
async function copyRows(from, into) {
  let count = 0;
  for (let after = ''; ; ) {
    const { columns, rows } = await run(
      source,
      `SELECT * FROM ${from}${after} ORDER BY _rowts LIMIT ${rowsPerRequest}`,
      database,
    );
    if (rows.length === 0) return count;
    const values = rows.map((row) => `(${row.map((value, at) => literal(value, columns[at][1])).join(', ')})`);
    const list = columns.map(([column]) => name(column)).join(', ');
    await run(target, `INSERT INTO ${into} (${list}) VALUES ${values.join(' ')}`, there);
    count += rows.length;
    // Rows of one table come in the order of their times, which are unique.
    after = ` WHERE _rowts > ${text(rows.at(-1)[0])}`;
  }
}

const [[precision]] = await asked(
  `SELECT \`precision\` FROM information_schema.ins_databases WHERE name = ${text(database)}`,
);
await run(target, `CREATE DATABASE IF NOT EXISTS ${name(there)} PRECISION ${text(precision)}`);
const made = (statement) => statement.replace(/^CREATE (STABLE|TABLE) /, 'CREATE $1 IF NOT EXISTS ');
for (const [stable] of await asked('SHOW STABLES')) {
  const [[, statement]] = await asked(`SHOW CREATE STABLE ${name(stable)}`);
  await run(target, made(statement), there);
}
const tables = await asked(
  `SELECT table_name, stable_name FROM information_schema.ins_tables WHERE db_name = ${text(database)}`,
);
for (const [table, stable] of tables) {
  const [[, statement]] = await asked(`SHOW CREATE TABLE ${name(table)}`);
  await run(target, made(statement), there);
  const count = await copyRows(name(table), name(table));
  console.log(`${stable === null ? '' : `${stable}.`}${table}: ${count} rows`);
}
