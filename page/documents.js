import { h, put, say } from './dom.js';
import { linked } from './links.js';
import { marked } from './marked.js';
import { request, Trouble } from './session.js';

/**
 * The documents of the package, of the version that runs.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function documentsView(context) {
  const file = linked().get('file') ?? 'README.md';
  const text = h('article', { class: 'document' }, h('h1', {}, file));
  const load = async () => {
    try {
      const answer = await request(`/page/${encodeURIComponent(file)}`);
      put(text, ...read(await answer.text()));
    } catch (error) {
      if (error instanceof Trouble && !error.isTransient) say(text, 'There is no such document.');
      else context.failed(error);
    }
  };
  load();
  return { element: h('section', {}, text), stop: () => {} };
}

/**
 * A document as elements; its links lead to the other documents of the package.
 * @param {string} markdown
 * @returns {ChildNode[]}
 */
function read(markdown) {
  const parsed = new DOMParser().parseFromString(marked.parse(markdown, { async: false }), 'text/html');
  for (const link of parsed.querySelectorAll('a')) {
    const target = link.getAttribute('href') ?? '';
    const [, name] = /^(?:\.\.\/)?(?:docs\/)?([\w-]+\.md)(?:#.*)?$/.exec(target) ?? [];
    if (name !== undefined) link.setAttribute('href', `#docs?file=${name}`);
    // What is not in the package, and places within a document, are words only.
    else if (!/^https?:/.test(target)) link.replaceWith(...link.childNodes);
  }
  for (const image of parsed.querySelectorAll('img')) {
    image.src = `/page/${(image.getAttribute('src') ?? '').split('/').at(-1)}`;
  }
  for (const wide of parsed.querySelectorAll('pre')) wide.tabIndex = 0;
  for (const head of parsed.querySelectorAll('th:empty')) head.replaceWith(parsed.createElement('td'));
  for (const [at, table] of parsed.querySelectorAll('table').entries()) {
    const scroller = parsed.createElement('div');
    scroller.className = 'scroller';
    scroller.tabIndex = 0;
    scroller.setAttribute('role', 'region');
    scroller.setAttribute('aria-label', `Table ${at + 1}`);
    table.replaceWith(scroller);
    scroller.append(table);
  }
  return [...parsed.body.childNodes].map((node) => document.importNode(node, true));
}
