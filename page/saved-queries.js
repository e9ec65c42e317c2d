import { h, put, say, toast } from './dom.js';
import { nameDialog } from './name-dialog.js';
import { tellTrouble } from './session.js';
import { createStored, deleteStored, listStored, readStored, replaceStored, sightWords } from './stored.js';

/** @typedef {import('./stored.js').SavedQuery} SavedQuery */

/**
 * The saved queries of the view Query: a list to open them from, and a button to save what is in the editor.
 * @param {object} options
 * @param {() => SavedQuery} options.current what is in the editor
 * @param {(query: SavedQuery) => Promise<void>} options.open
 * @param {(error: unknown) => void} options.failed
 */
export function savedQueries({ current, open, failed }) {
  /**
   * The query in the editor, as it was read or saved last.
   * @type {import('./stored.js').Stored | undefined}
   */
  let opened;
  const list = h('ul', { class: 'past' });
  const told = h('p', { class: 'muted', role: 'status' });
  const naming = nameDialog({ title: 'Save query', button: 'Save' });
  const replace = h('button', { type: 'button', hidden: true }, 'Save');
  const saveAs = h('button', { type: 'button' }, 'Save as…');

  /** @param {() => Promise<void>} work */
  const guarded = (work) => work().catch((error) => tellTrouble(error, told, failed));
  const show = () =>
    guarded(async () => {
      const all = await listStored('saved-queries');
      say(told, all.length === 0 ? 'No query is saved yet.' : '');
      put(
        list,
        all.map((saved) =>
          h(
            'li',
            {},
            h('button', { type: 'button', class: 'name', onclick: () => take(saved) }, saved.name),
            h('span', { class: 'muted' }, sightWords(saved)),
            saved.mayChange
              ? h(
                  'button',
                  {
                    type: 'button',
                    class: 'small',
                    'aria-label': `Delete ${saved.name}`,
                    onclick: () => remove(saved),
                  },
                  'Delete',
                )
              : null,
          ),
        ),
      );
    });
  const know = (/** @type {import('./stored.js').Stored | undefined} */ saved) => {
    opened = saved?.mayChange ? saved : undefined;
    replace.hidden = opened === undefined;
    say(replace, opened === undefined ? 'Save' : `Save ${opened.name}`);
  };
  const take = (/** @type {import('./stored.js').Stored} */ { id }) =>
    guarded(async () => {
      /** @type {import('./stored.js').Whole<SavedQuery>} */
      const whole = await readStored('saved-queries', id);
      know(whole);
      await open(whole.content);
    });
  const remove = (/** @type {import('./stored.js').Stored} */ saved) =>
    guarded(async () => {
      if (!confirm(`Delete the saved query ${saved.name}?`)) return;
      await deleteStored('saved-queries', saved);
      if (opened?.id === saved.id) know(undefined);
      await show();
    });
  replace.addEventListener('click', () =>
    guarded(async () => {
      if (opened === undefined) return;
      know(await replaceStored('saved-queries', opened, { ...opened, content: current() }));
      toast('The query is saved.');
      await show();
    }),
  );
  saveAs.addEventListener('click', () =>
    naming.open({ name: opened?.name ?? '', shared: opened?.shared ?? false }, async (named) => {
      know(await createStored('saved-queries', { ...named, content: current() }));
      details.open = true;
      toast('The query is saved.');
      await show();
    }),
  );
  const details = h('details', { class: 'history' }, h('summary', {}, 'Saved queries'), told, list);
  details.addEventListener('toggle', () => {
    if (details.open) show();
  });
  return { elements: [details, naming.element], buttons: [replace, saveAs] };
}
