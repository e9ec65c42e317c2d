import { h, put, say } from './dom.js';
import { labelOf } from './explore-sql.js';
import { count } from './format.js';
import { exploreLink } from './links.js';
import { tellTrouble } from './session.js';
import { knownTags, seriesInAll, seriesOfTables, tagValues, widestTags } from './tags.js';

/** Tables and tags that are listed. */
const [mostTables, mostTags] = [200, 20];
/** Values of a tag that are named. */
const namedValues = 5;

/**
 * Which tables and tags have the most series: what costs memory, and what has suddenly grown.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function cardinalityView(context) {
  const totals = h('dl', { class: 'totals' });
  const list = h('ul', { class: 'series-tables' });
  const widest = h('div', {});
  const told = h('p', { class: 'empty', role: 'status' }, 'Counting…');
  let stopped = false;

  const load = async () => {
    try {
      const [all, found, tags] = await Promise.all([seriesInAll(), seriesOfTables(mostTables), widestTags(mostTags)]);
      if (stopped) return;
      const facts = [
        ['series', count(all.series)],
        ['of them new in the last hour', count(all.fresh)],
        ['super tables', count(all.tables)],
      ];
      put(
        totals,
        facts.map(([what, value]) => h('div', {}, h('dt', {}, what), h('dd', {}, value))),
      );
      put(
        list,
        found.map((row) => tableRow(row, all.series)),
      );
      put(widest, tags.length === 0 ? null : tagTable(tags));
      told.hidden = found.length > 0;
      say(told, 'There are no series yet.');
    } catch (error) {
      if (stopped) return;
      tellTrouble(error, told, context.failed);
    }
  };
  load();
  const element = h(
    'section',
    {},
    h(
      'div',
      { class: 'head' },
      h('h1', {}, 'Series'),
      h('p', { class: 'muted' }, 'A series is one combination of tags; each costs memory and time'),
      h('button', { type: 'button', class: 'small', onclick: load }, 'Count again'),
    ),
    totals,
    told,
    h('h2', {}, 'Tables with the most series'),
    list,
    h('h2', {}, 'Tags with the most values'),
    widest,
  );
  return {
    element,
    stop: () => {
      stopped = true;
    },
  };
}

/**
 * @param {{ database: string; table: string | undefined; series: number; fresh: number }} row
 * @param {number} all
 */
function tableRow({ database, table, series, fresh }, all) {
  const words = `${count(series)} series${fresh > 0 ? `, ${count(fresh)} new in the last hour` : ''}`;
  const share = h('meter', { value: series, max: Math.max(1, all), 'aria-label': `Share of all series` });
  const counts = h('span', { class: 'muted' }, words);
  if (table === undefined) {
    return h('li', { class: 'card' }, h('p', { class: 'line' }, `Normal tables of ${database}`, share, counts));
  }
  const tags = h('div', {}, 'Counting…');
  const details = h('details', {}, h('summary', { class: 'line' }, `${database}.${table}`, share, counts), tags);
  details.addEventListener('toggle', async () => {
    if (!details.open || details.dataset.asked) return;
    details.dataset.asked = 'yes';
    try {
      const known = await knownTags(database, table);
      const values = await Promise.all(known.map((tag) => tagValues(database, table, tag)));
      const rows = known.map((tag, at) => [
        labelOf(tag),
        `${count(tag.distinct)}${tag.isSample ? '+' : ''}`,
        (values[at] ?? [])
          .slice(0, namedValues)
          .map((value) => `${value.value} (${count(value.series)})`)
          .join(', '),
      ]);
      put(
        tags,
        tableOf(`Tags of ${table}`, ['Tag', 'Values', 'Most series have'], rows),
        h('p', {}, h('a', { href: exploreLink(database, table) }, `Explore ${table}`)),
      );
    } catch (error) {
      delete details.dataset.asked;
      say(tags, error instanceof Error ? error.message : String(error));
    }
  });
  return h('li', { class: 'card' }, details);
}

/** @param {readonly { database: string; table: string; tag: string; distinct: number }[]} tags */
function tagTable(tags) {
  const rows = tags.map(({ database, table, tag, distinct }) => [tag, count(distinct), `${database}.${table}`]);
  return tableOf('Tags with the most values', ['Tag', 'Values', 'Table'], rows);
}

/**
 * @param {string} label
 * @param {readonly string[]} heads the second is of numbers
 * @param {readonly (readonly (string | undefined)[])[]} rows
 */
function tableOf(label, heads, rows) {
  const kind = (/** @type {number} */ at) => (at === 1 ? 'number' : '');
  return h(
    'div',
    { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': label },
    h(
      'table',
      {},
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heads.map((name, at) => h('th', { scope: 'col', class: kind(at) }, name)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((row) =>
          h(
            'tr',
            {},
            row.map((value, at) => h('td', { class: kind(at) }, value)),
          ),
        ),
      ),
    ),
  );
}
