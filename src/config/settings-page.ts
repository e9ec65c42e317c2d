import { type OptionRow, type OptionTable, variablesOf } from '../model/option.js';
import { adapterOptions } from './adapter-settings.js';
import { shownDefault } from './usage.js';
import { describeRange } from './values.js';

const introduction = `# Settings

This page is generated from the option tables; \`npm run settings-page\` writes it anew.

A setting can be given in four places. The first one that has it counts:

1. the command line: \`--log.path=/data/log\`, \`--log.path /data/log\` or \`log.path=/data/log\`;
   \`-P 7000\`, \`-P7000\` and \`-P=7000\` for the port;
2. the environment: the variable in the table. An empty variable counts as not set;
3. the configuration file, in TOML: \`-c\` or \`--config\` names it, otherwise it is \`adapter.toml\` in \`dbConfigDir\`,
   where it may be missing;
4. the default.

In the file, general settings are at the top, and the others in a section with the name of their group: \`--log.path\` is \`path\` in
\`[log]\`. Upper and lower case are the same. An unknown name or a wrong type stops the start with a line that says what is allowed.
\`level\` in section \`[log]\` is a second name of \`logLevel\`.

\`\`\`toml
port = 6041

[log]
path = "/data/log"
rotationSize = "512MB"

[tsdbwire_telnet]
enable = true
ports = [6046, 6047]
dbs = ["first", "second"]
\`\`\`

| Type | How it is written |
|---|---|
| bool | \`true\` or \`false\` (outside the file also \`1\`, \`t\`, \`0\`, \`f\`). On the command line the bare flag means true; false is \`--debug=false\` |
| duration | numbers with the units \`h\`, \`m\`, \`s\`, \`ms\`, \`us\`, \`ns\`: \`1h30m\`, \`2.5s\`, \`500ms\`. Only 0 may stand alone |
| size | a whole number with \`KB\`, \`MB\`, \`GB\` or \`TB\` (powers of 1024), or a number of bytes |
| list | separated by commas or blanks, brackets optional: \`a,b\` or \`[a, b]\`; the flag may be repeated; in the file an array, or a single text or number |
| secret | a text that is never printed |
| tables | in the file one table in double brackets for each: \`[[events.rules]]\`; elsewhere a JSON list of objects |

\`--help\` prints the flags that most people change, \`--help GROUP\` those of a group, \`--help all\` all, \`--version\` (\`-V\`) the version.

A file with every setting and its default is [packaging/adapter.toml](../packaging/adapter.toml).

\`debug\` is accepted and has no effect. Processes that consume topics, such as the load tool, read \`tmq\`; see [topics.md](topics.md).

## The settings that most people change

| Setting | Why |
|---|---|
| \`port\` | another program has 6041 |
| \`database.path\`, \`log.path\` | where the data and the log are |
| \`smlAutoCreateDB\` | agents may write to databases that do not exist |
| \`ssl.enable\`, \`ssl.certFile\`, \`ssl.keyFile\` | the network is not yours |
| \`httpCodeServerError\` | clients should see a failed statement in the HTTP status |
| \`tsdbwire_telnet.enable\`, \`graphite.enable\`, \`lineproto_udp.enable\`, \`hostexporter.enable\` | ways in that are off by default |
| \`statsgw.password\`, \`agentd.password\` and those of the other listeners | the password of \`root\` was changed, or listeners write as another user |
| \`events.rules\` | events of your own |
| \`write.ack\`, \`wal.sync\` | answers should wait for the database or the disk |
| \`monitor.pauseQueryMemoryThreshold\`, \`monitor.pauseAllMemoryThreshold\` | other programs share the machine |
`;

/** The page `docs/settings.md`: every setting of the service, one section a table. */
export function renderSettingsPage(): string {
  return `${introduction}\n${adapterOptions.map(renderTable).join('\n')}`;
}

function renderTable(table: OptionTable): string {
  const place = table.group === '' ? 'In the file: at the top.' : `In the file: section \`[${table.group}]\`.`;
  const head = '| Flag | Environment | Type | Default | What it does |\n|---|---|---|---|---|';
  return `## ${table.title}\n\n${place}\n\n${head}\n${table.rows.map(renderRow).join('\n')}\n`;
}

function renderRow(row: OptionRow): string {
  const flag = row.short === undefined ? code(`--${row.flag}`) : `${code(`-${row.short}`)}, ${code(`--${row.flag}`)}`;
  const env = variablesOf(row).map(code).join(', ');
  const cells = [flag, env, typeText(row), defaultText(row), row.help.replaceAll('|', '\\|')];
  return `| ${cells.join(' | ')} |`;
}

function typeText(row: OptionRow): string {
  const name = row.type.endsWith('-list') ? `${row.type.slice(0, -5)} list` : row.type;
  return row.allowed === undefined ? `${name}${describeRange(row)}` : `${name}: ${row.allowed.join(', ')}`;
}

function defaultText(row: OptionRow): string {
  const text = shownDefault(row);
  if (text === undefined) return '—';
  return row.type === 'secret' ? text : code(text);
}

function code(text: string): string {
  return `\`${text}\``;
}
