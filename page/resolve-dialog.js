import { h, say } from './dom.js';

/** Asks for the comment of a resolution; undefined when it is called off. */
export function resolveDialog() {
  const what = h('p', { class: 'muted' });
  const comment = h('textarea', { id: 'comment', rows: 4, maxlength: 2000 });
  /** @type {(comment: string | undefined) => void} */
  let answer = () => {};
  const cancel = () => element.close();
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    answer(comment.value.trim());
    element.close();
  };
  const element = h(
    'dialog',
    { class: 'card', 'aria-labelledby': 'resolve-title', onclose: () => answer(undefined) },
    h(
      'form',
      { onsubmit: submit },
      h('h2', { id: 'resolve-title' }, 'Resolve'),
      what,
      h('label', { for: 'comment' }, 'Comment ', h('span', { class: 'muted' }, '(may be left empty)')),
      comment,
      h(
        'div',
        { class: 'actions end' },
        h('button', { type: 'button', onclick: cancel }, 'Cancel'),
        h('button', { class: 'primary', type: 'submit' }, 'Resolve'),
      ),
    ),
  );
  return {
    element,
    prompt: (/** @type {string} */ title) => {
      say(what, title);
      comment.value = '';
      element.showModal();
      comment.focus();
      return new Promise((/** @type {(comment: string | undefined) => void} */ resolve) => {
        answer = resolve;
      });
    },
  };
}
