import { h, put, putRows, putTotals, say } from './dom.js';
import { count, duration, size } from './format.js';
import { labelValues, metric } from './metrics.js';
import { sparkline } from './time-plot.js';

/** Names of inputs for people, by their names in the metrics. */
const inputNames = {
  lineproto: 'Line protocol',
  lineproto_udp: 'Line protocol over UDP',
  'tsdbwire-json': 'OpenTSDB points as JSON',
  'opentsdb-json': 'OpenTSDB points as JSON (/api/put)',
  'tsdbwire-telnet': 'OpenTSDB points as telnet lines',
  tsdbwire_telnet: 'OpenTSDB telnet over TCP',
  'remote-write': 'Prometheus remote write',
  exposition: 'Prometheus text',
  hostexporter: 'Scraped exporters',
  otlp: 'OpenTelemetry',
  'otlp-json': 'OpenTelemetry as JSON',
  statsgw: 'StatsD',
  agentd: 'collectd',
  graphite: 'Graphite',
  sql: 'SQL INSERT',
  'own-metrics': "The service's own metrics",
};

/** Metrics of single inputs that the page shows: name, unit, and whether a value above 0 is a problem. */
const inputMetrics = {
  tsdbwire_telnet: [
    ['adapter_telnet_connections', 'connections', false],
    ['adapter_telnet_refused_connections', 'refused connections', true],
    ['adapter_telnet_lost_lines', 'lost lines', true],
  ],
  statsgw: [
    ['adapter_statsgw_messages', 'messages', false],
    ['adapter_statsgw_rejected_lines', 'bad lines', true],
    ['adapter_statsgw_shed_datagrams', 'dropped datagrams', true],
    ['adapter_statsgw_refused_connections', 'refused connections', true],
    ['adapter_statsgw_skipped_gathers', 'skipped gathers', true],
  ],
  agentd: [
    ['adapter_agentd_datagrams', 'datagrams', false],
    ['adapter_agentd_shed_datagrams', 'dropped datagrams', true],
  ],
  lineproto_udp: [
    ['adapter_lineproto_udp_datagrams', 'datagrams', false],
    ['adapter_lineproto_udp_shed_datagrams', 'dropped datagrams', true],
  ],
  hostexporter: [
    ['adapter_hostexporter_scrapes', 'scrapes', false],
    ['adapter_hostexporter_failed_scrapes', 'failed scrapes', true],
    ['adapter_hostexporter_skipped_scrapes', 'skipped scrapes', true],
  ],
};

const outcomes = { stored: 'stored', rejected: 'rejected', failed: 'failed', shed: 'shed' };
const reasons = {
  'all-paused': 'by the memory guard',
  'query-paused': 'queries, by the memory guard',
  draining: 'while shutting down',
};

/**
 * Shows what each input receives, stores and rejects.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function inputsView({ history }) {
  const totals = h('dl', { class: 'totals' });
  const cards = h('ul', { class: 'cards', 'aria-label': 'Inputs' });
  const empty = h('p', { class: 'empty' }, 'Nothing has come in since the start.');
  const body = h('tbody');
  const cardRows = new Map();
  const lineRows = new Map();
  const element = h(
    'section',
    {},
    h(
      'div',
      { class: 'head' },
      h('h1', {}, 'Inputs'),
      h(
        'p',
        { class: 'muted' },
        'The inputs of data and queries. Counts since the start of the service; rates of the last seconds',
      ),
    ),
    totals,
    h('h2', {}, 'Data inputs'),
    cards,
    empty,
    h('h2', {}, 'HTTP requests'),
    h(
      'div',
      { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': 'HTTP requests' },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ['Interface', 'per second', 'total', 'failed', 'median', 'p99'].map((name, at) =>
              h('th', { scope: 'col', class: at > 0 ? 'number' : '' }, name),
            ),
          ),
        ),
        body,
      ),
    ),
  );

  const show = () => {
    const { last } = history;
    if (last === undefined) return;
    putTotals(totals, totalsOf(history));
    const inputs = inputsOf(last);
    empty.hidden = inputs.length > 0;
    putRows(
      cards,
      inputs,
      (name) => name,
      (name) => inputCard(name, history),
      cardRows,
    );
    const lines = requestLines(last);
    putRows(
      body,
      lines,
      ({ method, route }) => `${method} ${route}`,
      () => requestRow(history),
      lineRows,
    );
  };
  show();
  return { element, metrics: show, stop: () => {} };
}

/** @param {import('./metrics.js').Metrics} metrics */
function inputsOf(metrics) {
  const told = new Set([
    ...labelValues(metrics, 'adapter_rows_total', 'pipeline'),
    ...labelValues(metrics, 'adapter_received_bytes_total', 'pipeline'),
  ]);
  for (const [name, lines] of Object.entries(inputMetrics)) {
    if (lines.some(([line]) => typeof line === 'string' && metrics.samples.has(line))) told.add(name);
  }
  const order = Object.keys(inputNames);
  return [...told].sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/**
 * @param {import('./metrics.js').History} history
 * @returns {[name: string, value: string, bad: boolean][]}
 */
function totalsOf(history) {
  const { last } = history;
  const rows = history.rate('adapter_rows_total', { outcome: 'stored' });
  const bytes = history.rate('adapter_received_bytes_total');
  const requests = history.rate('adapter_restful_http_request_total');
  const refused = labelValues(last, 'adapter_refusals_total', 'reason');
  /** @type {[string, string, boolean][]} */
  const totals = [
    ['rows stored per second', count(rows), false],
    ['data per second', size(bytes), false],
    ['requests per second', count(requests), false],
    ['requests in flight', count(metric(last, 'adapter_restful_http_request_in_flight') ?? 0), false],
    ['HTTP connections', count(metric(last, 'adapter_http_connections') ?? 0), false],
  ];
  const refusals = metric(last, 'adapter_refusals_total') ?? 0;
  if (refusals === 0) return [...totals, ['refused', '0', false]];
  for (const reason of refused) {
    const words = Object.entries(reasons).find(([name]) => name === reason)?.[1] ?? reason;
    totals.push([`refused ${words}`, count(metric(last, 'adapter_refusals_total', { reason }) ?? 0), true]);
  }
  return totals;
}

/**
 * @param {string} name
 * @param {import('./metrics.js').History} history
 */
function inputCard(name, history) {
  const words = Object.entries(inputNames).find(([known]) => known === name)?.[1] ?? name;
  const rate = h('p', { class: 'rate' });
  const line = h('div', { class: 'spark' });
  const peak = h('p', { class: 'muted small-facts' });
  const facts = h('ul', { class: 'small-facts' });
  const show = () => {
    const { last } = history;
    const labels = { pipeline: name };
    const rates = history.rates('adapter_rows_total', { ...labels, outcome: 'stored' });
    const bytes = history.rate('adapter_received_bytes_total', labels);
    put(rate, h('strong', {}, count(rates.at(-1)?.value ?? 0)), ` rows/s · ${size(bytes)}/s`);
    put(line, sparkline(rates));
    // Each card has a scale of its own.
    say(
      peak,
      rates.length < 2
        ? ''
        : `peak ${count(Math.max(...rates.map(({ value }) => value)))} rows/s in the last ${duration(spanOf(rates))}`,
    );
    /** @type {[string, number, boolean][]} */
    const told = Object.entries(outcomes).map(([outcome, said]) => [
      said,
      metric(last, 'adapter_rows_total', { ...labels, outcome }) ?? 0,
      outcome !== 'stored',
    ]);
    const own = Object.entries(inputMetrics).find(([known]) => known === name)?.[1] ?? [];
    for (const [metricName, said, bad] of own) {
      const value = metric(last, String(metricName));
      if (value !== undefined) told.push([String(said), value, bad === true]);
    }
    const worthIt = told.filter(([said, value, bad]) => !bad || value > 0 || said === 'rejected');
    put(
      facts,
      worthIt.map(([said, value, bad]) =>
        h(
          'li',
          { class: bad && value > 0 ? 'bad' : '' },
          h('b', {}, count(value)),
          ` ${value === 1 ? said.replace(/s$/, '') : said}`,
        ),
      ),
    );
  };
  return { element: h('li', { class: 'card input' }, h('h3', {}, words), rate, line, peak, facts), show };
}

/**
 * The time that rates cover, in ms.
 * @param {readonly { at: number }[]} rates
 */
function spanOf(rates) {
  return (rates.at(-1)?.at ?? 0) - (rates[0]?.at ?? 0);
}

/** @param {import('./metrics.js').Metrics} metrics */
function requestLines(metrics) {
  const seen = new Map();
  for (const { labels } of metrics.samples.get('adapter_restful_http_request_total') ?? []) {
    const [method, route] = [labels.request_method ?? '', labels.request_uri ?? ''];
    seen.set(`${method} ${route}`, { method, route });
  }
  const own = (/** @type {string} */ route) => Number(route === '/' || route.startsWith('/page/'));
  return [...seen.values()].sort((a, b) => own(a.route) - own(b.route) || (a.route < b.route ? -1 : 1));
}

/** @param {import('./metrics.js').History} history */
function requestRow(history) {
  const cells = Array.from({ length: 5 }, () => h('td', { class: 'number' }));
  const name = h('th', { scope: 'row' });
  const show = (/** @type {{ method: string; route: string }} */ { method, route }) => {
    const { last } = history;
    const labels = { request_method: method, request_uri: route };
    const failed = metric(last, 'adapter_restful_http_request_fail', labels) ?? 0;
    const quantile = (/** @type {string} */ at) => {
      const ms = metric(last, 'adapter_restful_http_request_summary_milliseconds', { ...labels, quantile: at });
      return ms === undefined || Number.isNaN(ms) ? '–' : duration(ms);
    };
    say(
      name,
      route === 'unknown' ? `${method} paths that are not there` : `${method} ${route.replace(/:(\w+)/g, '‹$1›')}`,
    );
    const values = [
      count(history.rate('adapter_restful_http_request_total', labels)),
      count(metric(last, 'adapter_restful_http_request_total', labels) ?? 0),
      count(failed),
      quantile('0.5'),
      quantile('0.99'),
    ];
    for (const [at, cell] of cells.entries()) say(cell, values[at] ?? '');
    cells[2]?.classList.toggle('bad', failed > 0);
  };
  return { element: h('tr', {}, name, cells), show };
}
