import type { SubscribeReport } from '../model/subscribe-report.js';
import { shortNumber } from './charts.js';
import { headline, reportPage, table } from './report-page.js';

/** The report of a subscription as one HTML page: what each consumer has read. */
export function encodeSubscribePage(report: SubscribeReport): string {
  const { startedMs, endedMs, messages, rows, consumers } = report;
  return reportPage('Subscription', { report }, [
    `<dl class="headline">
${headline('Rows', shortNumber(rows))}
${headline('Messages', shortNumber(messages))}
${headline('Consumers', String(consumers.length))}
${headline('Seconds', ((endedMs - startedMs) / 1000).toFixed(2))}
</dl>`,
    '<h2>Consumers</h2>',
    table(
      'What each consumer has read',
      ['Consumer', 'Group', 'Messages', 'Rows', 'Ended by an error'],
      consumers.map(({ number, group, messages: read, rows: own, failed }) => [
        String(number),
        group,
        String(read),
        String(own),
        failed ? 'yes' : 'no',
      ]),
    ),
  ]);
}
