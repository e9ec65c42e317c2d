import { h } from './dom.js';
import { ago, dateAndTime } from './format.js';

/** @typedef {{ id: string; version: number; updatedTime: number; updatedBy: string; problem: string | null }} Stored */
/** @typedef {{ rule: string; untilTime: number; reason: string; user: string }} Silence */
/** @typedef {{ name: string; kind: string; database: string; table: string; severity: string; condition: string; toml: string; stored: Stored | null; silence: Silence | null }} Rule */
/**
 * What can be done with a rule.
 * @typedef {object} RuleActions
 * @property {(rule: Rule) => void} try
 * @property {(rule: Rule) => void} edit
 * @property {(rule: Rule) => void} remove
 * @property {(rule: Rule, forMs: number, reason: string) => void} silence
 * @property {(rule: Rule) => void} endSilence
 */

const hourMs = 3_600_000;
const durations = /** @type {const} */ ([
  ['1 hour', hourMs],
  ['4 hours', 4 * hourMs],
  ['1 day', 24 * hourMs],
  ['1 week', 168 * hourMs],
  ['4 weeks', 672 * hourMs],
]);

/** Numbers the fields of rows, whose labels name them. */
let fields = 0;

/**
 * A rule in the list. Those of the settings file can be tried and silenced; only the file changes them.
 * @param {Rule} rule
 * @param {RuleActions} actions
 */
export function ruleRow(rule, actions) {
  const { name, database, table, severity, condition, toml, stored, silence } = rule;
  const about = table === '' ? database : `${database}.${table}`;
  const action = (/** @type {string} */ label, /** @type {(rule: Rule) => void} */ act) =>
    h('button', { type: 'button', class: 'small', 'aria-label': `${label}: ${name}`, onclick: () => act(rule) }, label);
  const origin = stored === null ? 'settings file' : `saved by ${stored.updatedBy} ${ago(stored.updatedTime)}`;
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
      h('span', { class: 'muted' }, origin),
    ),
    stored?.problem ? h('p', { class: 'error' }, `Not watched. ${stored.problem}`) : null,
    silence === null ? null : silenceLine(silence, action('End silence', actions.endSilence)),
    h(
      'details',
      {},
      h('summary', {}, stored === null ? 'In the settings file' : 'Text'),
      h('pre', { tabindex: 0 }, toml),
    ),
    silenceForm(rule, actions),
    stored === null
      ? null
      : h(
          'details',
          {},
          h('summary', {}, 'Delete'),
          h('p', {}, 'Its open events are resolved. ', action('Delete', actions.remove)),
        ),
    h('p', { class: 'actions' }, action('Try', actions.try), stored === null ? null : action('Change', actions.edit)),
  );
}

/**
 * @param {Silence} silence
 * @param {HTMLElement} end
 */
function silenceLine({ untilTime, reason, user }, end) {
  return h('p', { class: 'silence' }, `Silenced until ${dateAndTime(untilTime)} by ${user}: ${reason} `, end);
}

/**
 * @param {Rule} rule
 * @param {RuleActions} actions
 */
function silenceForm(rule, actions) {
  fields++;
  const reason = h('input', { id: `silence-reason-${fields}`, required: true, maxlength: 2000, autocomplete: 'off' });
  const duration = h(
    'select',
    { id: `silence-for-${fields}` },
    durations.map(([label, ms]) => h('option', { value: ms }, label)),
  );
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    actions.silence(rule, Number(duration.value), reason.value.trim());
  };
  return h(
    'details',
    {},
    h('summary', {}, 'Silence'),
    h(
      'form',
      { class: 'actions', onsubmit: submit },
      h('label', { for: duration.id }, 'For'),
      duration,
      h('label', { for: reason.id }, 'Reason'),
      reason,
      h('button', { type: 'submit', class: 'small', 'aria-label': `Silence: ${rule.name}` }, 'Silence'),
    ),
    h('p', { class: 'muted' }, 'Its events are made as always and send no notifications until then.'),
  );
}
