import type { LoadFigures, LoadReport } from '../model/insert-report.js';
import { perSecond } from '../model/run-report.js';
import { drawDelays, drawDelaysOverTime, drawRates, shortNumber } from './charts.js';
import type { Comparison } from './comparison.js';
import { delayCells, delayNames, headline, reportPage, table } from './report-page.js';

/** The report as JSON text, the names being those of {@link LoadReport}. */
export function encodeJsonReport(report: object): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** The report as one HTML page: figures, and the rate and the delays drawn. */
export function encodeHtmlReport(report: LoadReport, comparison?: Comparison): string {
  const { totals, superTables, rates } = report;
  const waits = [totals.generateSeconds, totals.encodeSeconds, totals.waitSeconds];
  return reportPage('Load run', { report, comparison }, [
    `<dl class="headline">
${headline('Rows written', shortNumber(totals.rows))}
${headline('Rows per second', shortNumber(perSecond(totals.rows, totals.seconds)))}
${headline('Seconds', totals.seconds.toFixed(2))}
${headline('Rows failed', shortNumber(totals.failedRows))}
</dl>`,
    `<h2>Rows per second</h2>\n<figure>${drawRates(rates, 'Rows written')}</figure>`,
    `<h2>Mean delay of requests over time, in milliseconds</h2>\n<figure>${drawDelaysOverTime(rates, 'requests')}</figure>`,
    `<h2>Delays of requests</h2>\n<figure>${drawDelays(totals.delays, 'requests')}</figure>`,
    table('Delays in milliseconds', [...delayNames], [delayCells(totals.delays)]),
    '<h2>Figures</h2>',
    table(
      'The whole run and its super tables',
      ['Table', 'Mode', 'Sub-tables', 'Threads', ...figureNames, ...delayNames],
      [
        ['All', '', '', '', ...figureCells(totals), ...delayCells(totals.delays)],
        ...superTables.map((each) => [
          `${each.database}.${each.name}`,
          each.mode,
          String(each.subTables),
          String(each.threads),
          ...figureCells(each.figures),
          ...delayCells(each.figures.delays),
        ]),
      ],
    ),
    '<h2>Where the time went</h2>',
    table(
      'Seconds of all threads together',
      ['Making rows', 'Encoding requests', 'Waiting for answers'],
      [waits.map((seconds) => seconds.toFixed(2))],
    ),
  ]);
}

const figureNames = ['Rows', 'Rows/s', 'Seconds', 'Failed rows', 'Requests', 'Failed requests', 'Retries'] as const;

function figureCells(figures: LoadFigures): string[] {
  const { rows, seconds, failedRows, requests, failedRequests, retries } = figures;
  return [
    String(rows),
    perSecond(rows, seconds).toFixed(0),
    seconds.toFixed(3),
    ...[failedRows, requests, failedRequests, retries].map(String),
  ];
}
