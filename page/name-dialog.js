import { h, say } from './dom.js';

let serial = 0;

/**
 * A dialog for the name of a document and for whether all users may read it, with further fields.
 * @param {{ title: string; button: string; fields?: HTMLElement[] }} options
 */
export function nameDialog({ title, button, fields = [] }) {
  const id = `name-${serial++}`;
  const name = h('input', { id: `${id}-name`, maxlength: 200, required: true, autocomplete: 'off' });
  const shared = h('input', { id: `${id}-shared`, type: 'checkbox' });
  const wrong = h('p', { class: 'error', role: 'alert' });
  /** @type {((values: { name: string; shared: boolean }) => Promise<void>) | undefined} */
  let done;
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    try {
      await done?.({ name: name.value.trim(), shared: shared.checked });
      element.close();
    } catch (error) {
      say(wrong, error instanceof Error ? error.message : String(error));
    }
  };
  const element = h(
    'dialog',
    { class: 'card', 'aria-labelledby': `${id}-title` },
    h(
      'form',
      { onsubmit: submit },
      h('h2', { id: `${id}-title` }, title),
      h('div', { class: 'field' }, h('label', { for: `${id}-name` }, 'Name'), name),
      h('p', {}, h('label', { class: 'line' }, shared, 'All users may read it')),
      fields,
      wrong,
      h(
        'div',
        { class: 'actions end' },
        h('button', { type: 'button', onclick: () => element.close() }, 'Cancel'),
        h('button', { class: 'primary', type: 'submit' }, button),
      ),
    ),
  );
  return {
    element,
    /**
     * @param {{ name: string; shared: boolean }} first
     * @param {(values: { name: string; shared: boolean }) => Promise<void>} act its error stays in the dialog
     */
    open: (first, act) => {
      name.value = first.name;
      shared.checked = first.shared;
      done = act;
      say(wrong, '');
      element.showModal();
      name.focus();
    },
  };
}
