import { h, put, say } from './dom.js';
import { ago, count, dateAndTime } from './format.js';
import { poll } from './polling.js';
import { ruleEditor } from './rule-editor.js';
import { ruleRow } from './rule-row.js';
import { request, requestJson, Trouble } from './session.js';

const channelsMs = 5000;

/** @typedef {import('./rule-row.js').Rule} Rule */
/** @typedef {{ kind: string; target: string; sent: number; failed: number; waiting: number; lastSentTime: number | null; problem: string | null }} Channel */

const channelNames = { webhook: 'Webhook', mail: 'Mail' };

/**
 * The rules that make events: listed, written, tried, changed, silenced; and who is told of events. For administrators.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function rulesView(context) {
  const summary = h('p', { class: 'muted' });
  const list = h('ul', { class: 'rules', 'aria-label': 'Rules' });
  const told = h('p', { role: 'status' });
  const reload = h('button', { type: 'button' }, 'Reload rules');
  const channels = h('ul', { class: 'rules', 'aria-label': 'Notifications' });
  const test = h('button', { type: 'button' }, 'Send a test message');
  const tested = h('p', { role: 'status' });
  const editorPlace = h('div');
  const inside = h(
    'div',
    {},
    h('p', { class: 'actions' }, reload),
    told,
    list,
    editorPlace,
    h('h2', {}, 'Notifications'),
    channels,
    h('p', { class: 'actions' }, test),
    tested,
  );
  const denied = h('p', { class: 'empty', hidden: true }, 'Only administrators see the rules.');

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
        records.map((rule) => ruleRow(rule, actions)),
        records.length === 0 ? h('li', { class: 'muted' }, 'There are no rules yet.') : null,
      );
    });
  /** Does something with a rule, lists the rules again, and says what was done. */
  const change = (/** @type {() => Promise<string>} */ work) =>
    guarded(told, async () => {
      const words = await work();
      await load();
      say(told, words);
    });
  const editor = ruleEditor({
    guarded,
    saved: async (name, before) => {
      await load();
      if (before === undefined) say(told, `The rule ${name} is saved.`);
      else say(told, before === name ? `The rule ${name} is changed.` : `The rule ${before} is renamed to ${name}.`);
    },
  });
  put(editorPlace, editor.element);
  /** @type {import('./rule-row.js').RuleActions} */
  const actions = {
    try: editor.try,
    edit: editor.edit,
    remove: (rule) =>
      change(async () => {
        const { id = '', version = 0 } = rule.stored ?? {};
        await request(`/api/v1/rules/${id}?version=${version}`, { method: 'DELETE' });
        editor.forget(rule);
        return `The rule ${rule.name} is deleted.`;
      }),
    silence: (rule, forMs, reason) =>
      change(async () => {
        const body = JSON.stringify({ rule: rule.name, untilTime: Date.now() + forMs, reason });
        await request('/api/v1/silences', { method: 'POST', body });
        return `The rule ${rule.name} is silenced.`;
      }),
    endSilence: (rule) =>
      change(async () => {
        await request(`/api/v1/silences?rule=${encodeURIComponent(rule.name)}`, { method: 'DELETE' });
        return `The rule ${rule.name} sends notifications again.`;
      }),
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
