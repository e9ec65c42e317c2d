import { h, say, toast } from './dom.js';
import { count } from './format.js';
import { requestJson, Trouble } from './session.js';

/** @typedef {import('./event-row.js').Event} Event */
/** @typedef {'acknowledge' | 'resolve'} Move */

/** Events that are moved at the same time, of several that a person chose. */
const movedAtOnce = 4;

/** @type {Readonly<Record<Move, string>>} */
export const doneWords = { acknowledge: 'Acknowledged', resolve: 'Resolved' };

/**
 * Acknowledges or resolves one event, and gives the event as it is then; `changed` is false where somebody was faster.
 * @param {Event} event
 * @param {Move} to
 * @param {string} comment may be empty
 * @returns {Promise<Event & { changed: boolean }>}
 */
export function moveEvent(event, to, comment) {
  const body = comment === '' ? null : JSON.stringify({ comment });
  return requestJson(`/api/v1/events/${encodeURIComponent(event.id)}/${to}`, { method: 'PUT', body });
}

/**
 * What a person does with several events at once: choose them, acknowledge them, resolve them with one comment.
 * @param {object} view
 * @param {(isChosen: (id: string) => boolean) => void} view.mark shows which events are chosen
 * @param {(event: Event) => void} view.moved shows an event as it is now
 * @param {(title: string) => Promise<string | undefined>} view.prompt for the comment of a resolution
 * @param {(trouble: unknown) => void} view.failed
 * @param {() => Promise<void>} view.done everything that was chosen has been tried
 */
export function bulkMoves({ mark, moved, prompt, failed, done }) {
  /** @type {Map<string, Event>} */
  const open = new Map();
  /** @type {Set<string>} */
  const chosen = new Set();
  const all = h('input', { type: 'checkbox', onchange: () => chooseAll(all.checked) });
  const said = h('span', { class: 'muted', role: 'status' });
  const take = h('button', { type: 'button', onclick: () => run('acknowledge', '') }, 'Acknowledge');
  const close = h('button', { type: 'button', onclick: () => resolve() }, 'Resolve…');
  const actions = h('div', { class: 'actions', hidden: true }, take, close);
  const element = h('div', { class: 'bulk', hidden: true }, h('label', {}, all, 'Select all'), said, actions);

  const show = () => {
    element.hidden = open.size < 2;
    actions.hidden = chosen.size === 0;
    all.checked = chosen.size > 0 && chosen.size === open.size;
    all.indeterminate = chosen.size > 0 && chosen.size < open.size;
    take.disabled = ![...chosen].some((id) => open.get(id)?.status === 'active');
    say(said, chosen.size === 0 ? '' : `${count(chosen.size)} selected`);
    mark((id) => chosen.has(id));
  };
  const chooseAll = (/** @type {boolean} */ isChosen) => {
    chosen.clear();
    if (isChosen) for (const id of open.keys()) chosen.add(id);
    show();
  };
  const run = async (/** @type {Move} */ to, /** @type {string} */ comment) => {
    const waiting = [...chosen].flatMap((id) => {
      const event = open.get(id);
      return event === undefined || (to === 'acknowledge' && event.status !== 'active') ? [] : [event];
    });
    const wanted = waiting.length;
    let changed = 0;
    let refused = '';
    actions.hidden = true;
    const worker = async () => {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
        try {
          const now = await moveEvent(event, to, comment);
          if (now.changed) changed++;
          chosen.delete(event.id);
          if (now.status === 'resolved') open.delete(event.id);
          else open.set(event.id, now);
          moved(now);
        } catch (error) {
          waiting.length = 0;
          if (error instanceof Trouble && error.reason !== 'password') refused = error.message;
          else failed(error);
        }
      }
    };
    await Promise.all(Array.from({ length: movedAtOnce }, worker));
    show();
    const of = changed === wanted ? count(changed) : `${count(changed)} of ${count(wanted)}`;
    toast(`${doneWords[to]}: ${of} ${wanted === 1 ? 'event' : 'events'}.${refused === '' ? '' : ` ${refused}`}`);
    await done();
  };
  const resolve = async () => {
    const comment = await prompt(`${count(chosen.size)} ${chosen.size === 1 ? 'event' : 'events'}`);
    if (comment !== undefined) await run('resolve', comment);
  };
  return {
    element,
    choose: (/** @type {Event} */ event, /** @type {boolean} */ isChosen) => {
      if (isChosen) chosen.add(event.id);
      else chosen.delete(event.id);
      show();
    },
    /** The events that are listed now; what is no longer among them is no longer chosen. */
    list: (/** @type {readonly Event[]} */ events) => {
      open.clear();
      for (const event of events) if (event.status !== 'resolved') open.set(event.id, event);
      for (const id of chosen) if (!open.has(id)) chosen.delete(id);
      show();
    },
  };
}
