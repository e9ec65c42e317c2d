import type { QueryFigures, QueryPartReport, QueryReport } from '../model/query-report.js';
import { perSecond } from '../model/run-report.js';
import { drawDelays, drawDelaysOverTime, drawRates, shortNumber } from './charts.js';
import type { Comparison } from './comparison.js';
import { delayCells, delayNames, headline, reportPage, table } from './report-page.js';

/** The report of a query run as one HTML page: figures, and the rate and the delays drawn. */
export function encodeQueryPage(report: QueryReport, comparison?: Comparison): string {
  const { totals, parts, rates } = report;
  const samples = rates.map(({ queries, errors, ...sample }) => ({ ...sample, rows: queries, failedRows: errors }));
  return reportPage('Query run', { report, comparison }, [
    `<dl class="headline">
${headline('Queries', shortNumber(totals.queries))}
${headline('Queries per second', shortNumber(perSecond(totals.queries, totals.seconds)))}
${headline('Seconds', totals.seconds.toFixed(2))}
${headline('Errors', shortNumber(totals.errors))}
</dl>`,
    `<h2>Queries per second</h2>\n<figure>${drawRates(samples, 'Queries')}</figure>`,
    `<h2>Delays of queries over time</h2>\n<figure>${drawDelaysOverTime(samples, 'queries')}</figure>`,
    `<h2>Delays of queries</h2>\n<figure>${drawDelays(totals.delays, 'queries')}</figure>`,
    table('Delays in milliseconds', [...delayNames], [delayCells(totals.delays)]),
    '<h2>Figures</h2>',
    table(
      'The whole run and its parts',
      ['Part', 'Threads', 'Queries', 'Queries/s', 'Seconds', 'Rows', 'Errors', 'Killed', ...delayNames],
      [
        ['All', '', ...figureCells(totals)],
        ...parts.map((part) => [nameOf(part), String(part.threads), ...figureCells(part.figures)]),
      ],
    ),
  ]);
}

function nameOf({ section, statements }: QueryPartReport): string {
  return section === 'specified' ? (statements[0] ?? '') : `${section}: ${statements.length} statements`;
}

function figureCells(figures: QueryFigures): string[] {
  const { queries, seconds, rows, errors, killed, delays } = figures;
  const rate = perSecond(queries, seconds).toFixed(1);
  return [String(queries), rate, seconds.toFixed(3), ...[rows, errors, killed].map(String), ...delayCells(delays)];
}
