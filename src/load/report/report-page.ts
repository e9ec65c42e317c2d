import type { DelayFigures } from '../model/insert-report.js';
import type { RunReport } from '../model/run-report.js';
import { type Comparison, changeOf, shown } from './comparison.js';

/** Head and foot of every page. */
interface PageFrame {
  readonly report: RunReport;
  /** Figures of an earlier run beside those of this one. */
  readonly comparison?: Comparison | undefined;
}

/** A report as one HTML page that needs nothing beside itself; `sections` are HTML, everything else is escaped here. */
export function reportPage(title: string, { report, comparison }: PageFrame, sections: readonly string[]): string {
  const { startedMs, endedMs, outcome, version, failure, settings, environment } = report;
  const failed = failure === undefined ? '' : `<p class="failure"><strong>Failed:</strong> ${escaped(failure)}</p>`;
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
${failed}
${comparison === undefined ? '' : comparisonSection(comparison)}
${sections.join('\n')}
<h2>Settings</h2>
${table('What was asked for', ['Setting', 'Value'], cellsOf(settings))}
<h2>Versions and machine</h2>
${table('What it ran on', ['Of', 'Value'], cellsOf(environment))}
</main>
</body>
</html>
`;
}

function cellsOf(list: RunReport['settings']): string[][] {
  return list.map(({ name, value }) => [name, value]);
}

function comparisonSection({ startedMs, figures, differences }: Comparison): string {
  const rows = figures.map((figure) => [figure.name, shown(figure.before), shown(figure.after), changeOf(figure)]);
  const notes = differences.map((text) => `<li>Another ${escaped(text)}</li>`).join('\n');
  return `<h2>Compared with the run of ${timeText(startedMs)}</h2>
${table('Figures of both runs', ['Figure', 'Before', 'Now', 'Change'], rows)}
${notes === '' ? '' : `<ul>\n${notes}\n</ul>`}`;
}

/** Heads of the columns of {@link delayCells}. */
export const delayNames = ['min', 'mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;

/** Delays in milliseconds. */
export function delayCells(delays: DelayFigures): string[] {
  return delayNames.map((name) => delays[name].toFixed(2));
}

/** A figure that stands out. */
export function headline(name: string, value: string): string {
  return `<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** A table whose first column names its rows. */
export function table(caption: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th scope="col">${escaped(text)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((text) => `<td>${escaped(text)}</td>`).join('')}</tr>`).join('\n');
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escaped(caption)}"><table>
<caption>${escaped(caption)}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${body}
</tbody>
</table></div>`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace(/\..*/, ' UTC');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML shows it, in elements and in quoted attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}

const style = `
:root { color-scheme: light dark; --text: #1c2430; --quiet: #55606e; --back: #fff; --line: #d6dbe1; --accent: #0b62a8; --mark: #a8320b; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e9ef; --quiet: #a6b0bb; --back: #14181d; --line: #39424c; --accent: #6cb6f2; --mark: #ff9c73; }
}
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1, h2 { line-height: 1.2; }
h2 { margin: 2rem 0 0.75rem; }
.failure { border-left: 0.25rem solid var(--mark); padding-left: 0.75rem; }
.headline { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; }
.headline dt { color: var(--quiet); }
.headline dd { margin: 0; font-size: 1.75rem; font-variant-numeric: tabular-nums; }
figure { margin: 0; }
svg { width: 100%; height: auto; }
svg text { fill: var(--quiet); font-size: 12px; }
.grid { stroke: var(--line); }
.area, .bar { fill: var(--accent); }
.area { opacity: 0.2; }
.line { fill: none; stroke: var(--accent); stroke-width: 2; }
.mark { stroke: var(--mark); stroke-dasharray: 4 3; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: 0.25rem; }
th, td { text-align: left; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
`;
