import { h, put, say } from './dom.js';
import { ago, count, dateAndTime, measureOf } from './format.js';
import { poll } from './polling.js';
import { requestJson, Trouble } from './session.js';

const channelsMs = 5000;

/** @typedef {{ name: string; kind: string; database: string; table: string; severity: string; condition: string; toml: string }} Rule */
/** @typedef {{ kind: string; target: string; sent: number; failed: number; waiting: number; lastSentTime: number | null; problem: string | null }} Channel */
/** @typedef {{ looked: string; total: number; records: { elementId: string; title: string; severity: string; value: number | null; rows: number | null }[] }} Trial */

const example = `name = "oven too hot"
database = "plant"
table = "ovens"
column = "temperature"
comparison = ">"
threshold = 80
severity = "critical"`;

const channelNames = { webhook: 'Webhook', mail: 'Mail' };

/**
 * The rules that make events: listed, tried, read again; and who is told of events. For administrators.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function rulesView(context) {
  const summary = h('p', { class: 'muted' });
  const list = h('ul', { class: 'rules', 'aria-label': 'Rules' });
  const told = h('p', { role: 'status' });
  const reload = h('button', { type: 'button' }, 'Read the rules again');
  const text = h('textarea', { id: 'rule', rows: 10, spellcheck: 'false' });
  const attempt = h('button', { class: 'primary', type: 'submit' }, 'Try');
  const found = h('div', { role: 'status' });
  const channels = h('ul', { class: 'rules', 'aria-label': 'Notifications' });
  const test = h('button', { type: 'button' }, 'Send a test message');
  const tested = h('p', { role: 'status' });
  const inside = h(
    'div',
    {},
    h('p', { class: 'actions' }, reload),
    told,
    list,
    h('h2', {}, 'Try a rule'),
    h(
      'form',
      { class: 'card panel', onsubmit: (/** @type {Event} */ event) => tryIt(event) },
      h('label', { for: 'rule' }, 'A rule as it stands in the settings file'),
      text,
      h('p', { class: 'actions' }, attempt),
      h(
        'p',
        { class: 'muted' },
        'What it would find now; nothing is kept of it. To keep a rule, put it into the settings file behind [[events.rules]] and read the rules again.',
      ),
      found,
    ),
    h('h2', {}, 'Notifications'),
    channels,
    h('p', { class: 'actions' }, test),
    tested,
  );
  const denied = h('p', { class: 'empty', hidden: true }, 'Only administrators see the rules.');
  text.value = example;

  /** Does something that a person asked for, and says what is wrong where they look. */
  const guarded = async (/** @type {HTMLElement} */ place, /** @type {() => Promise<void>} */ work) => {
    place.classList.remove('error');
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Trouble) || error.reason === 'password') return context.failed(error);
      if (error.reason === 'denied') {
        denied.hidden = false;
        inside.hidden = true;
        return;
      }
      place.classList.add('error');
      say(place, error.message);
    }
  };
  const load = () =>
    guarded(told, async () => {
      /** @type {{ loadedTime: number; records: Rule[] }} */
      const { loadedTime, records } = await requestJson('/api/v1/rules');
      say(
        summary,
        `${count(records.length)} ${records.length === 1 ? 'rule' : 'rules'}, read ${dateAndTime(loadedTime)}`,
      );
      put(
        list,
        records.map((rule) => ruleRow(rule, take)),
        records.length === 0 ? h('li', { class: 'muted' }, 'There are no rules in the settings yet.') : null,
      );
    });
  const take = (/** @type {Rule} */ rule) => {
    text.value = rule.toml;
    text.scrollIntoView({ block: 'center' });
    tryIt();
  };
  const tryIt = (/** @type {Event | undefined} */ event = undefined) => {
    event?.preventDefault();
    attempt.disabled = true;
    return guarded(found, async () => {
      /** @type {Trial} */
      const trial = await requestJson('/api/v1/rules/try', { method: 'POST', body: text.value });
      put(found, ...trialRows(trial));
    }).finally(() => {
      attempt.disabled = false;
    });
  };
  reload.addEventListener('click', () =>
    guarded(told, async () => {
      const { rules, added, changed, removed } = await requestJson('/api/v1/rules/reload', { method: 'POST' });
      const parts = [
        [added, 'new'],
        [changed, 'changed'],
        [removed, 'gone'],
      ].flatMap(([names, word]) => (names.length === 0 ? [] : [`${word}: ${names.join(', ')}`]));
      await load();
      say(
        told,
        `${count(rules)} ${rules === 1 ? 'rule' : 'rules'}; ${parts.length === 0 ? 'nothing has changed' : parts.join('; ')}.`,
      );
    }),
  );
  const showChannels = () =>
    guarded(tested, async () => {
      /** @type {{ records: Channel[] }} */
      const { records } = await requestJson('/api/v1/notifications');
      test.hidden = records.length === 0;
      const none = h(
        'li',
        { class: 'muted' },
        'Nobody is notified. Set notify.webhook or notify.mail. ',
        h('a', { href: '#docs?file=events.md' }, 'How'),
      );
      put(channels, records.length === 0 ? none : records.map(channelRow));
    });
  test.addEventListener('click', () =>
    guarded(tested, async () => {
      test.disabled = true;
      say(tested, 'Sending…');
      try {
        /** @type {{ records: Channel[] }} */
        const { records } = await requestJson('/api/v1/notifications/test', { method: 'POST' });
        tested.classList.toggle(
          'error',
          records.some(({ problem }) => problem !== null),
        );
        say(tested, records.map(({ kind, problem }) => `${nameOf(kind)}: ${problem ?? 'taken.'}`).join(' '));
      } finally {
        test.disabled = false;
      }
    }),
  );
  load();
  const polling = poll(channelsMs, showChannels);
  const element = h('section', {}, h('div', { class: 'head' }, h('h1', {}, 'Rules'), summary), denied, inside);
  return { element, stop: polling.stop };
}

/**
 * @param {Rule} rule
 * @param {(rule: Rule) => void} take
 */
function ruleRow(rule, take) {
  const { name, database, table, severity, condition, toml } = rule;
  const about = table === '' ? database : `${database}.${table}`;
  return h(
    'li',
    { class: `card rule ${severity}` },
    h(
      'div',
      { class: 'line' },
      h('span', { class: 'severity' }, severity),
      h('strong', {}, name),
      h('span', { class: 'muted' }, about),
      h('span', {}, condition),
    ),
    h('details', {}, h('summary', {}, 'In the settings file'), h('pre', { tabindex: 0 }, toml)),
    h('button', { type: 'button', class: 'small', 'aria-label': `Try ${name}`, onclick: () => take(rule) }, 'Try'),
  );
}

/** @param {Trial} trial */
function trialRows({ looked, total, records }) {
  const words =
    total === 0 ? 'It would find nothing.' : `It would make ${count(total)} ${total === 1 ? 'event' : 'events'}:`;
  return [
    h('p', {}, `${words} `, h('span', { class: 'muted' }, `Looked at: ${looked}.`)),
    h(
      'ul',
      { class: 'found' },
      records.map(({ title, elementId, value, rows }) =>
        h(
          'li',
          {},
          h('strong', {}, title),
          h(
            'span',
            { class: 'muted' },
            [
              elementId,
              value === null ? '' : `value ${measureOf([value])(value)}`,
              rows === null ? '' : `${count(rows)} rows`,
            ]
              .filter((part) => part !== '')
              .join(' · '),
          ),
        ),
      ),
    ),
    records.length < total ? h('p', { class: 'muted' }, `and ${count(total - records.length)} more`) : '',
  ];
}

/** @param {Channel} channel */
function channelRow({ kind, target, sent, failed, waiting, lastSentTime, problem }) {
  const facts = [
    `${count(sent)} sent`,
    `${count(waiting)} waiting`,
    failed > 0 ? `${count(failed)} given up` : '',
    lastSentTime === null ? '' : `last ${ago(lastSentTime)}`,
  ];
  return h(
    'li',
    { class: 'card rule' },
    h(
      'div',
      { class: 'line' },
      h('strong', {}, nameOf(kind)),
      h('span', {}, target),
      h('span', { class: 'muted' }, facts.filter((part) => part !== '').join(' · ')),
    ),
    problem === null ? null : h('p', { class: 'error' }, problem),
  );
}

/** @param {string} kind */
function nameOf(kind) {
  return Object.entries(channelNames).find(([name]) => name === kind)?.[1] ?? kind;
}
