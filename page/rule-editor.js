import { h, put, say } from './dom.js';
import { count, measureOf } from './format.js';
import { requestJson } from './session.js';

/** @typedef {import('./rule-row.js').Rule} Rule */
/** @typedef {{ total: number; records: { elementId: string; title: string; severity: string; value: number | null; rows: number | null }[] }} TriedEvents */
/** @typedef {TriedEvents & { looked: string; earlier: TriedEvents }} Trial */
/** @typedef {(place: HTMLElement, work: () => Promise<void>) => Promise<void>} Guarded */

/** A rule of each kind, to begin with. */
const templates = {
  'Values of a column': `name = "oven too hot"
database = "plant"
table = "ovens"
column = "temperature"
comparison = ">"
threshold = 80
for = "30s"
severity = "critical"`,
  'No data': `name = "oven silent"
database = "plant"
table = "ovens"
absence = "5m"`,
  SQL: `name = "too many rejects"
database = "plant"
sql = "SELECT site AS element, COUNT(*) AS value FROM rejects WHERE _rowts > NOW() - 10m GROUP BY site HAVING COUNT(*) > 50"
interval = "1m"`,
  PromQL: `name = "few loaves"
database = "plant"
promql = "sum by (site) (rate(loaves_total[10m])) < 1"
interval = "1m"
for = "5m"
title = "{value} loaves per second at {site}"`,
};

/**
 * A form in which a rule is written, tried on the data that is there, and saved. It is empty after a rule was saved.
 * @param {{ guarded: Guarded; saved: (name: string, before: string | undefined) => Promise<void> }} options
 */
export function ruleEditor({ guarded, saved }) {
  const title = h('h2', { id: 'rule-title' }, 'New rule');
  const text = h('textarea', { id: 'rule', rows: 10, spellcheck: 'false', oninput: () => nameSave() });
  const attempt = h('button', { type: 'submit' }, 'Try');
  const save = h('button', { class: 'primary', type: 'button', onclick: () => store() }, 'Save rule');
  const cancel = h('button', { type: 'button', hidden: true, onclick: () => begin(text.value) }, 'Save as a new rule');
  const results = h('div', { role: 'status' });
  /** The stored rule that is changed; undefined for a new one. @type {Rule | undefined} */
  let edited;

  /** Says what the button does: a rule whose name is changed is another one after it. */
  const nameSave = () => {
    const isRenamed = edited !== undefined && nameLine(text.value) !== nameLine(edited.toml);
    say(save, edited === undefined ? 'Save rule' : isRenamed ? `Rename ${edited.name}, and save` : 'Save changes');
  };
  const begin = (/** @type {string} */ toml, /** @type {Rule | undefined} */ rule = undefined) => {
    edited = rule;
    text.value = toml;
    say(title, rule === undefined ? 'New rule' : `Change the rule ${rule.name}`);
    nameSave();
    cancel.hidden = rule === undefined;
    put(results);
  };
  const tryIt = (/** @type {Event | undefined} */ event = undefined) => {
    event?.preventDefault();
    attempt.disabled = true;
    return guarded(results, async () => {
      /** @type {Trial} */
      const trial = await requestJson('/api/v1/rules/try', { method: 'POST', body: text.value });
      put(results, ...trialRows(trial));
    }).finally(() => {
      attempt.disabled = false;
    });
  };
  const store = () => {
    save.disabled = true;
    return guarded(results, async () => {
      const stored = edited?.stored;
      const path = stored ? `/api/v1/rules/${stored.id}?version=${stored.version}` : '/api/v1/rules';
      /** @type {Rule} */
      const rule = await requestJson(path, { method: stored ? 'PUT' : 'POST', body: text.value });
      const before = edited?.name;
      begin('');
      await saved(rule.name, before);
    }).finally(() => {
      save.disabled = false;
    });
  };
  begin(templates['Values of a column']);
  const starts = Object.entries(templates).map(([kind, toml]) =>
    h('button', { type: 'button', class: 'small', onclick: () => begin(toml) }, kind),
  );
  const element = h(
    'div',
    {},
    title,
    h(
      'form',
      { class: 'card panel', onsubmit: tryIt },
      h('p', { class: 'actions' }, h('span', { class: 'muted' }, 'Start with'), starts),
      h('label', { for: 'rule' }, 'A rule as it stands in the settings file'),
      text,
      h('p', { class: 'actions' }, attempt, save, cancel),
      h(
        'p',
        { class: 'muted' },
        'Try shows what it would find now, and keeps nothing. Save stores it in the database: every service on it watches the rule. ',
        h('a', { href: '#docs?file=events.md' }, 'All keys'),
      ),
      results,
    ),
  );
  const show = (/** @type {string} */ toml, /** @type {Rule | undefined} */ rule) => {
    begin(toml, rule);
    element.scrollIntoView({ block: 'start' });
  };
  return {
    element,
    /** Shows what a rule would find now. */
    try: (/** @type {Rule} */ rule) => {
      show(rule.toml, rule.stored === null ? undefined : rule);
      return tryIt();
    },
    /** Lets a stored rule be changed. */
    edit: (/** @type {Rule} */ rule) => {
      show(rule.toml, rule);
      text.focus();
    },
    /** A rule that is gone is changed no longer. */
    forget: (/** @type {Rule} */ { stored }) => {
      if (stored !== null && edited?.stored?.id === stored.id) begin(text.value);
    },
  };
}

/**
 * The line of a rule that has its name, without spaces.
 * @param {string} toml
 */
function nameLine(toml) {
  const line = toml.split('\n').find((one) => /^\s*name\s*=/.test(one)) ?? '';
  return line.replaceAll(/\s/g, '');
}

/** @param {Trial} trial */
function trialRows({ looked, earlier, ...now }) {
  const words = now.total === 0 ? 'It would find nothing now.' : `It would make ${eventsOf(now)} now:`;
  return [
    h('p', {}, `${words} `, h('span', { class: 'muted' }, `Looked at: ${looked}.`)),
    ...foundRows(now),
    ...(earlier.total === 0 ? [] : [h('p', {}, `${eventsOf(earlier)} earlier in that time, over by now:`)]),
    ...foundRows(earlier),
  ];
}

/** @param {TriedEvents} events */
function eventsOf({ total }) {
  return `${count(total)} ${total === 1 ? 'event' : 'events'}`;
}

/** @param {TriedEvents} events */
function foundRows({ total, records }) {
  const rows = records.map(({ title, elementId, value, rows }) => {
    const facts = [
      elementId,
      value === null ? '' : `value ${measureOf([value])(value)}`,
      rows === null ? '' : `${count(rows)} ${rows === 1 ? 'row' : 'rows'}`,
    ];
    return h(
      'li',
      {},
      h('strong', {}, title),
      h('span', { class: 'muted' }, facts.filter((part) => part !== '').join(' · ')),
    );
  });
  return [
    rows.length === 0 ? '' : h('ul', { class: 'found' }, rows),
    records.length < total ? h('p', { class: 'muted' }, `and ${count(total - records.length)} more`) : '',
  ];
}
