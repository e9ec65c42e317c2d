import { h, say } from './dom.js';
import { labelValues, parseMetrics } from './metrics.js';
import { logIn, request, Trouble } from './session.js';

/** Between two attempts while the service cannot tell. */
const retryMs = 2000;

/**
 * The form that asks who is there.
 * @param {string | undefined} said why
 * @param {() => void} entered
 */
export function loginView(said, entered) {
  const user = h('input', {
    id: 'user',
    name: 'user',
    autocomplete: 'username',
    autocapitalize: 'none',
    required: true,
  });
  const password = h('input', {
    id: 'password',
    name: 'password',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
  });
  const reveal = h('input', { id: 'reveal', type: 'checkbox' });
  reveal.addEventListener('change', () => {
    password.type = reveal.checked ? 'text' : 'password';
  });
  const button = h('button', { class: 'primary', type: 'submit' }, 'Log in');
  const message = h('p', { class: 'message', role: 'alert' }, said);
  const version = h('p', { class: 'muted version' });
  sayVersion(version);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const attempt = async () => {
    clearTimeout(timer);
    button.disabled = true;
    try {
      await logIn(user.value, password.value);
      entered();
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      message.classList.toggle('warn', error.isTransient);
      say(message, wordsOf(error));
      if (error.isTransient) timer = setTimeout(attempt, retryMs);
      else password.select();
    } finally {
      button.disabled = false;
    }
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    attempt();
  };
  const form = h(
    'form',
    { class: 'card login', onsubmit: submit, oninput: () => clearTimeout(timer) },
    h('img', { src: '/page/icon.svg', alt: '', width: 56, height: 56 }),
    h('h1', {}, 'Sluice'),
    version,
    h('p', { class: 'muted' }, 'Log in as a user of the database. The first one is root.'),
    h('label', { for: 'user' }, 'User'),
    user,
    h('label', { for: 'password' }, 'Password'),
    password,
    h('p', { class: 'choices' }, h('label', {}, reveal, 'Show the password')),
    message,
    button,
  );
  queueMicrotask(() => user.focus());
  return { element: h('main', { class: 'login-page' }, form), stop: () => clearTimeout(timer) };
}

/** @param {Trouble} trouble */
function wordsOf(trouble) {
  switch (trouble.reason) {
    case 'unreachable':
      return 'The service cannot be reached. Trying again every two seconds.';
    case 'database':
      return 'The database is not answering, so you cannot log in at the moment. The service restarts it. This page tries again every two seconds.';
    case 'memory':
      return `${trouble.message} Trying again every two seconds.`;
    default:
      return trouble.message;
  }
}

/**
 * Says which version the service has, once it has told.
 * @param {HTMLElement} place
 */
async function sayVersion(place) {
  try {
    const response = await request('/metrics');
    const [version] = labelValues(parseMetrics(await response.text(), Date.now()), 'adapter_build_info', 'version');
    if (version !== undefined) say(place, `Version ${version}`);
  } catch {
    // A service that cannot be reached is told of at the log-in.
  }
}
