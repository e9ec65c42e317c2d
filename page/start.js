import { copyText } from './copy.js';
import { h, put, say } from './dom.js';
import { exploreLink } from './links.js';
import { poll } from './polling.js';
import { session } from './session.js';
import { seriesOfTables } from './tags.js';
import { tailOf } from './tail.js';

const lookMs = 1000;

/** The first three calls, as somebody types them where the service is. */
function firstCalls() {
  const user = session()?.user ?? 'root';
  const at = location.origin;
  return [
    ['Make a database', `curl -u ${user} ${at}/rest/sql -d 'CREATE DATABASE demo'`],
    [
      'Write a line',
      `curl -u ${user} '${at}/lineproto/v1/write?db=demo' --data-binary 'weather,city=oslo temp=-3.5,humid=81i'`,
    ],
    ['Read it back', `curl -u ${user} ${at}/rest/sql/demo -d 'SELECT * FROM weather'`],
  ];
}

/**
 * What a service without data greets with: the first calls, where to read on, and the first row the moment it is there. It
 * is hidden until it is known that there is no data, unless `always`.
 * @param {import('./app.js').Context} context
 * @param {{ always?: boolean }} [options]
 */
export function firstSteps(context, { always = false } = {}) {
  const arrived = h('div', { role: 'status' }, 'Waiting for the first row…');
  const said = h('p', { class: 'muted', role: 'status' });
  const element = h(
    'div',
    { class: 'card first', hidden: !always },
    h('h2', {}, 'First steps'),
    arrived,
    h('p', {}, 'Three calls, in a terminal. curl asks for your password.'),
    h(
      'ol',
      {},
      firstCalls().map(([what, call = '']) => {
        const copy = async () => {
          const isCopied = await copyText(call);
          say(said, isCopied ? 'Copied.' : 'This browser does not let the page copy; select the call instead.');
        };
        return h(
          'li',
          {},
          h(
            'p',
            { class: 'line' },
            what,
            h('button', { type: 'button', class: 'small', onclick: copy, 'aria-label': `Copy: ${what}` }, 'Copy'),
          ),
          h('pre', { tabindex: 0 }, call),
        );
      }),
    ),
    said,
    h(
      'p',
      {},
      'Or let an agent write: ',
      h('a', { href: '#docs?file=agents.md' }, 'configurations of agents'),
      '. More: ',
      h('a', { href: '#docs?file=data-model.md' }, 'how data becomes tables'),
      ', ',
      h('a', { href: '#docs?file=sql.md' }, 'SQL'),
      ', ',
      h('a', { href: '#docs?file=README.md' }, 'all documents'),
      '.',
    ),
  );
  /** @type {{ stop: () => void } | undefined} */
  let tail;
  let shows = '';
  let wasEmpty = false;
  let stopped = false;
  const polling = poll(lookMs, async () => {
    try {
      const [first] = await seriesOfTables(1);
      if (stopped) return;
      if (first === undefined) {
        wasEmpty = true;
        element.hidden = false;
        return;
      }
      const { database, table } = first;
      if ((!wasEmpty && !always) || table === undefined) return polling.stop();
      const name = `${database}.${table}`;
      if (shows === name) return;
      shows = name;
      tail?.stop();
      const rows = tailOf(database, table, context.failed);
      tail = rows;
      polling.stop();
      put(
        arrived,
        h('h3', {}, `Data has arrived in ${name}`),
        rows.element,
        h('p', { class: 'next' }, h('a', { href: exploreLink(database, table) }, 'Draw it')),
      );
    } catch (error) {
      context.failed(error);
    }
  });
  return {
    element,
    stop: () => {
      stopped = true;
      polling.stop();
      tail?.stop();
    },
  };
}

/**
 * The first steps as a view of their own.
 * @param {import('./app.js').Context} context
 * @returns {import('./app.js').View}
 */
export function startView(context) {
  const steps = firstSteps(context, { always: true });
  return {
    element: h('section', {}, h('div', { class: 'head' }, h('h1', {}, 'Start')), steps.element),
    stop: steps.stop,
  };
}
