import {
  type DelayFigures,
  type LoadFigures,
  type LoadReport,
  perSecond,
  type QueryFigures,
  type QueryReport,
  type RunReport,
  type SubscribeReport,
} from '../model/report.js';

/** What the pages of the kinds of run have of their own. */
interface PageContent {
  readonly title: string;
  /** Figures that stand out, by name. */
  readonly headlines: Readonly<Record<string, string>>;
  readonly tables: readonly PageTable[];
}

interface PageTable {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const delayNames = ['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;

/** A report as one HTML page that needs nothing else. */
export function encodeHtmlReport(report: LoadReport | QueryReport | SubscribeReport): string {
  if ('superTables' in report) return pageOf(report, insertContent(report));
  return pageOf(report, 'parts' in report ? queryContent(report) : subscribeContent(report));
}

function insertContent({ totals, superTables }: LoadReport): PageContent {
  const tables = superTables.map(({ database, name, mode, subTables, threads, figures }) => [
    `${database}.${name}`,
    mode,
    ...[subTables, threads].map(String),
    ...insertCells(figures),
  ]);
  const names = ['Rows', 'Rows/s', 'Seconds', 'Failed rows', 'Requests', 'Failed requests', 'Retries'];
  const waits = [totals.generateSeconds, totals.encodeSeconds, totals.waitSeconds];
  return {
    title: 'Load run',
    headlines: {
      'Rows written': shortNumber(totals.rows),
      'Rows per second': shortNumber(perSecond(totals.rows, totals.seconds)),
      Seconds: totals.seconds.toFixed(2),
      'Rows failed': shortNumber(totals.failedRows),
    },
    tables: [
      {
        title: 'The whole run and its super tables',
        heads: ['Table', 'Mode', 'Sub-tables', 'Threads', ...names],
        rows: [['All', '', '', '', ...insertCells(totals)], ...tables],
      },
      delayTable('Table', [
        ['All', totals.delays],
        ...superTables.map(({ database, name, figures }) => [`${database}.${name}`, figures.delays] as const),
      ]),
      {
        title: 'Seconds of all threads together',
        heads: ['Making rows', 'Encoding requests', 'Waiting for responses'],
        rows: [waits.map((seconds) => seconds.toFixed(2))],
      },
    ],
  };
}

function insertCells({ rows, seconds, failedRows, requests, failedRequests, retries }: LoadFigures): string[] {
  const counts = [failedRows, requests, failedRequests, retries].map(String);
  return [String(rows), perSecond(rows, seconds).toFixed(0), seconds.toFixed(3), ...counts];
}

function queryContent({ totals, parts }: QueryReport): PageContent {
  const named = parts.map(({ section, statements, ...part }) => ({
    ...part,
    name: section === 'specified' ? (statements[0] ?? '') : `${section}: ${statements.length} statements`,
  }));
  const rows = named.map(({ name, threads, figures }) => [name, String(threads), ...queryCells(figures)]);
  return {
    title: 'Query run',
    headlines: {
      Queries: shortNumber(totals.queries),
      'Queries per second': shortNumber(perSecond(totals.queries, totals.seconds)),
      Seconds: totals.seconds.toFixed(2),
      Errors: shortNumber(totals.errors),
    },
    tables: [
      {
        title: 'The whole run and its parts',
        heads: ['Part', 'Threads', 'Queries', 'Queries/s', 'Seconds', 'Rows', 'Errors', 'Killed'],
        rows: [['All', '', ...queryCells(totals)], ...rows],
      },
      delayTable('Part', [
        ['All', totals.delays],
        ...named.map(({ name, figures }) => [name, figures.delays] as const),
      ]),
    ],
  };
}

function queryCells({ queries, seconds, rows, errors, killed }: QueryFigures): string[] {
  const counts = [rows, errors, killed].map(String);
  const rate = perSecond(queries, seconds).toFixed(1);
  return [String(queries), rate, seconds.toFixed(3), ...counts];
}

function subscribeContent({ startedMs, endedMs, messages, rows, consumers }: SubscribeReport): PageContent {
  return {
    title: 'Subscription',
    headlines: {
      Rows: shortNumber(rows),
      Messages: shortNumber(messages),
      Consumers: String(consumers.length),
      Seconds: ((endedMs - startedMs) / 1000).toFixed(2),
    },
    tables: [
      {
        title: 'What each consumer has read',
        heads: ['Consumer', 'Group', 'Messages', 'Rows', 'Ended by an error'],
        rows: consumers.map((consumer) => [
          String(consumer.number),
          consumer.group,
          ...[consumer.messages, consumer.rows].map(String),
          consumer.failed ? 'yes' : 'no',
        ]),
      },
    ],
  };
}

/** The delays of what is named in a first column. */
function delayTable(head: string, delays: readonly (readonly [name: string, delays: DelayFigures])[]): PageTable {
  return {
    title: 'Delays of requests in milliseconds',
    heads: [head, ...delayNames],
    rows: delays.map(([name, of]) => [name, ...delayCells(of)]),
  };
}

function delayCells(delays: DelayFigures): string[] {
  return delayNames.map((name) => delays[name].toFixed(2));
}

/** A number with three significant digits and a unit prefix: `1.23 M`. */
export function shortNumber(value: number): string {
  for (const [size, unit] of [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ] as const) {
    if (value >= Math.max(1e4, size)) return `${Number((value / size).toPrecision(3))}${unit}`;
  }
  return String(value >= 1000 ? Math.round(value) : Number(value.toPrecision(3)));
}

function pageOf(report: RunReport, { title, headlines, tables }: PageContent): string {
  const { startedMs, endedMs, outcome, version, failure, settings, environment } = report;
  const failed = failure === undefined ? '' : `<p class="failure"><strong>Failed:</strong> ${escaped(failure)}</p>\n`;
  const list = (items: RunReport['settings']) => items.map(({ name, value }) => [name, value]);
  const all = [
    ...tables,
    { title: 'Settings', heads: ['Setting', 'Value'], rows: list(settings) },
    { title: 'Versions and machine', heads: ['Of', 'Value'], rows: list(environment) },
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title} of ${timeText(startedMs)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${timeText(startedMs)} to ${timeText(endedMs)}, <strong>${outcome}</strong>, version ${escaped(version)}</p>
${failed}<dl class="headline">
${Object.entries(headlines)
  .map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`)
  .join('\n')}
</dl>
${all.map(tableText).join('\n')}
</main>
</body>
</html>
`;
}

/** A table whose first column names its rows. */
function tableText({ title, heads, rows }: PageTable): string {
  const head = heads.map((text) => `<th scope="col">${escaped(text)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((text) => `<td>${escaped(text)}</td>`).join('')}</tr>`).join('\n');
  return `<h2>${title}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr>${head}</tr></thead>
<tbody>
${body}
</tbody>
</table></div>`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace(/\..*/, ' UTC');
}

/** Text as HTML shows it, in elements and in quoted attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const style = `
:root { color-scheme: light dark; --text: #1c2430; --quiet: #55606e; --back: #fff; --line: #d6dbe1; --mark: #a8320b; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e9ef; --quiet: #a6b0bb; --back: #14181d; --line: #39424c; --mark: #ff9c73; }
}
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h2 { margin: 2rem 0 0.75rem; }
.failure { border-left: 0.25rem solid var(--mark); padding-left: 0.75rem; }
.headline { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; }
.headline dt { color: var(--quiet); }
.headline dd { margin: 0; font-size: 1.75rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); vertical-align: bottom; }
td { white-space: nowrap; }
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 8rem; }
`;
