import { h, put, say, toast } from './dom.js';
import { eventsView } from './events.js';
import { timeOfDay } from './format.js';
import { loginView } from './login.js';
import { History, labelValues, metric, parseMetrics } from './metrics.js';
import { literal } from './names.js';
import { poll } from './polling.js';
import { logOut, request, requestJson, session, Trouble } from './session.js';
import { runSql } from './sql.js';

/**
 * @typedef {object} View
 * @property {HTMLElement} element
 * @property {() => void} [metrics] new metrics have come
 * @property {() => void} stop
 */

/**
 * @typedef {object} Context what the views share
 * @property {History} history
 * @property {{ events?: import('./events.js').Page; statements?: import('./statements.js').SlowList }} kept what views showed
 *   last, for when they are opened again
 * @property {(trouble: unknown) => void} failed a request of a poll failed
 * @property {() => void} went a request of a poll went well
 */

/**
 * The views by the name in the address. One that is within another is reached from there and has no link of its own.
 * `isText` is for reading, and as wide as lines are read well; all others have the width of the screen.
 * @type {Readonly<Record<string, { title: string; make: (context: Context) => View; within?: string; isText?: boolean }>>}
 */
const views = {
  events: { title: 'Events', make: eventsView, isText: true },
  rules: {
    title: 'Rules',
    make: lazyView(async () => (await import('./rules.js')).rulesView),
    within: 'events',
    isText: true,
  },
  explore: { title: 'Explore', make: lazyView(async () => (await import('./explore.js')).exploreView) },
  series: {
    title: 'Series',
    make: lazyView(async () => (await import('./cardinality.js')).cardinalityView),
    within: 'explore',
  },
  query: { title: 'Query', make: lazyView(async () => (await import('./query.js')).queryView) },
  dashboards: { title: 'Dashboards', make: lazyView(async () => (await import('./dashboards.js')).dashboardsView) },
  inputs: { title: 'Inputs', make: lazyView(async () => (await import('./inputs.js')).inputsView) },
  health: { title: 'Health', make: lazyView(async () => (await import('./health.js')).healthView) },
  statements: { title: 'Statements', make: lazyView(async () => (await import('./statements.js')).statementsView) },
  tail: { title: 'Live rows', make: lazyView(async () => (await import('./tail.js')).tailView), within: 'query' },
  start: {
    title: 'Start',
    make: lazyView(async () => (await import('./start.js')).startView),
    within: '',
    isText: true,
  },
  docs: {
    title: 'Documents',
    make: lazyView(async () => (await import('./documents.js')).documentsView),
    within: '',
    isText: true,
  },
};
/** What is shown where the address names none. */
const firstView = { title: 'Events', make: eventsView, within: 'events', isText: true };

/**
 * A view whose code is loaded when it is opened for the first time.
 * @param {() => Promise<(context: Context) => View>} load
 * @returns {(context: Context) => View}
 */
function lazyView(load) {
  return (context) => {
    const element = h('div', {});
    /** @type {View | undefined} */
    let view;
    let stopped = false;
    load().then(
      (make) => {
        if (stopped) return;
        view = make(context);
        put(element, view.element);
        view.metrics?.();
      },
      () => context.failed(new Trouble('unreachable', 'The service cannot be reached.')),
    );
    return {
      element,
      metrics: () => view?.metrics?.(),
      stop: () => {
        stopped = true;
        view?.stop();
      },
    };
  };
}

/** @type {Readonly<Record<string, string>>} */
const backWords = {
  unreachable: 'The service is back.',
  database: 'The database is back.',
  memory: 'The service accepts requests again.',
};

const metricsMs = 2000;
/** Newest active events that are looked at for new ones, whatever view is open. */
const watchedEvents = 20;
/** More new events than that at once are told of in one line. */
const mostToasts = 3;

const app = document.querySelector('#app') ?? document.body;

/** @type {() => void} */
let leave = () => {};

/** @param {string} [said] why the page asks again who is there */
function showLogin(said) {
  leave();
  document.title = 'Sluice: log in';
  const view = loginView(said, () => {
    leave();
    showService();
  });
  leave = view.stop;
  put(app, view.element);
}

function showService() {
  const history = new History();
  /** @type {View | undefined} */
  let view;
  /** @type {Trouble | undefined} */
  let trouble;
  let goodAt = Date.now();

  const banner = h('div', { class: 'banner', role: 'alert', hidden: true });
  const badge = h('span', { class: 'badge', hidden: true });
  const pill = h('span', { class: 'pill' });
  const main = h('main', { id: 'main', tabindex: -1 });
  const version = h('span', { class: 'muted' });
  const links = Object.entries(views).flatMap(([name, { title, within }]) =>
    within === undefined ? [h('a', { href: `#${name}` }, title, name === 'events' ? badge : null)] : [],
  );

  const showTrouble = () => {
    const [kind, words] = troubleWords(trouble, history, goodAt);
    banner.hidden = words === '';
    banner.className = `banner ${kind}`;
    say(banner, words);
    pill.className = `pill ${kind === '' ? 'good' : kind}`;
    say(pill, pillWords(trouble, history));
  };

  /** @type {Context} */
  const context = {
    history,
    kept: {},
    failed: (found) => {
      if (!(found instanceof Trouble)) throw found;
      if (found.reason === 'password') {
        logOut();
        showLogin('You are no longer let in: the password has changed, or the user is gone.');
      } else if (found.isTransient) {
        trouble = found;
        showTrouble();
      }
    },
    went: () => {
      if (trouble !== undefined) toast(backWords[trouble.reason] ?? '');
      trouble = undefined;
      goodAt = Date.now();
      showTrouble();
    },
  };

  const show = () => {
    const [name] = location.hash.slice(1).split('?');
    const chosen = Object.entries(views).find(([known]) => known === name)?.[1] ?? firstView;
    const { title, make, within = name, isText = false } = chosen;
    view?.stop();
    view = make(context);
    for (const link of links) {
      if (link.hash === `#${within}`) {
        link.setAttribute('aria-current', 'page');
        link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      } else link.removeAttribute('aria-current');
    }
    main.className = isText ? 'text' : '';
    put(main, view.element);
    document.title = `${title} · Sluice`;
    view.metrics?.();
  };
  const turn = () => {
    show();
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  };

  // Without it the metrics begin now.
  requestJson('/metrics/history')
    .then((past) => {
      history.begin(past, Date.now());
      view?.metrics?.();
    })
    .catch(() => {});
  const scrape = poll(metricsMs, async () => {
    try {
      const response = await request('/metrics');
      history.add(parseMetrics(await response.text(), Date.now()));
      say(version, `Sluice ${labelValues(history.last, 'adapter_build_info', 'version')[0] ?? ''}`);
      if (trouble?.reason === 'unreachable') trouble = undefined;
      showTrouble();
      view?.metrics?.();
    } catch (error) {
      context.failed(error);
    }
  });
  const watch = poll(metricsMs, watchEvents(badge, context));

  put(
    app,
    h('a', { class: 'skip', href: '#main', onclick: skipTo(main) }, 'Skip to the content'),
    h(
      'header',
      { class: 'bar' },
      h(
        'a',
        { class: 'brand', href: '#events' },
        h('img', { src: '/page/icon.svg', alt: '', width: 28, height: 28 }),
        'Sluice',
      ),
      h('nav', { 'aria-label': 'Views' }, links),
      h('div', { class: 'who' }, pill, h('span', { class: 'user' }, session()?.user), logOutButton()),
    ),
    banner,
    main,
    h(
      'footer',
      {},
      h('a', { href: '#start' }, 'First steps'),
      h('a', { href: '#docs' }, 'Documents'),
      h('a', { href: '/swagger-ui.html' }, 'HTTP API'),
      h('a', { href: '/metrics' }, 'Metrics (Prometheus)'),
      version,
    ),
  );
  isAdministrator()
    .then((is) => {
      const link = links.find(({ hash }) => hash === '#statements');
      if (link !== undefined) link.hidden = !is;
    })
    .catch(context.failed);
  addEventListener('hashchange', turn);
  show();
  showTrouble();
  leave = () => {
    removeEventListener('hashchange', turn);
    scrape.stop();
    watch.stop();
    view?.stop();
  };
}

/** Whether who is logged in may see what others run. */
async function isAdministrator() {
  const user = literal(session()?.user ?? '');
  const { data } = await runSql(`SELECT super FROM information_schema.ins_users WHERE name = ${user}`, '');
  return data.some(([value]) => value === 1);
}

function logOutButton() {
  const act = () => {
    logOut();
    showLogin();
  };
  return h('button', { class: 'quiet', onclick: act }, 'Log out');
}

/** @param {HTMLElement} main */
function skipTo(main) {
  return (/** @type {Event} */ event) => {
    event.preventDefault();
    main.focus();
  };
}

/**
 * Counts the active events on the badge, and tells of new ones.
 * @param {HTMLElement} badge
 * @param {Context} context
 */
function watchEvents(badge, context) {
  /** @type {Newest | undefined} */
  let before;
  return async () => {
    try {
      /** @type {Newest} */
      const newest = await requestJson(`/api/v1/events?status=active&pageSize=${watchedEvents}`);
      badge.hidden = newest.total === 0;
      say(badge, newest.total > 999 ? '999+' : String(newest.total));
      badge.title = `${newest.total} active`;
      if (before !== undefined) tellOf(newcomers(newest, before));
      before = newest;
      context.went();
    } catch (error) {
      context.failed(error);
    }
  };
}

/** @typedef {{ total: number; records: import('./events.js').Event[] }} Newest */

/**
 * The events that were not there before. Older ones, which only move up as others are closed, are none.
 * @param {Newest} newest
 * @param {Newest} before
 */
function newcomers({ records }, before) {
  const known = new Set(before.records.map(({ id }) => id));
  const oldest = before.total > before.records.length ? (before.records.at(-1)?.startTime ?? 0) : 0;
  return records.filter(({ id, startTime }) => !known.has(id) && startTime >= oldest);
}

/** @param {readonly import('./events.js').Event[]} events */
function tellOf(events) {
  if (events.length > mostToasts) toast(`${events.length} new events`);
  else for (const { severity, title } of events) toast(`New ${severity} event: ${title}`);
}

/**
 * @param {Trouble | undefined} trouble
 * @param {History} history
 * @param {number} goodAt
 * @returns {[kind: '' | 'bad' | 'warn', words: string]}
 */
function troubleWords(trouble, history, goodAt) {
  const since = `What you see is from ${timeOfDay(goodAt)}.`;
  if (trouble?.reason === 'unreachable') {
    return ['bad', `The service cannot be reached. This page keeps retrying. ${since}`];
  }
  if (trouble?.reason === 'database' || metric(history.last, 'adapter_engine_up') === 0) {
    return ['bad', `The database is not answering. The service restarts it; clients must retry until then. ${since}`];
  }
  const guard = metric(history.last, 'adapter_memory_guard_state') ?? 0;
  if (guard === 1) return ['warn', 'Memory is short: queries are refused, writes go on.'];
  if (guard === 2 || trouble?.reason === 'memory') return ['bad', 'Memory is short: queries and writes are refused.'];
  return ['', ''];
}

/**
 * @param {Trouble | undefined} trouble
 * @param {History} history
 */
function pillWords(trouble, history) {
  if (trouble?.reason === 'unreachable') return 'unreachable';
  if (trouble?.reason === 'database' || metric(history.last, 'adapter_engine_up') === 0) return 'database down';
  const guard = metric(history.last, 'adapter_memory_guard_state') ?? 0;
  return guard === 0 ? 'running' : 'memory short';
}

if (session() === undefined) showLogin();
else showService();
