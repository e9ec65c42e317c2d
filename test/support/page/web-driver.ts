import { existsSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../service/free-ports.js';
import { directoryFor, run, type Scope } from '../service/processes.js';
import { until } from '../until.js';

/** Browsers besides Chromium, as their packages bring them: Firefox by its own protocol, WebKit by that of the W3C. */
export interface OtherBrowser {
  /** Name and version. */
  readonly name: string;
  open(address: string): Promise<void>;
  /** What the body of a function returns that runs in the page; a promise is waited for. */
  evaluate<T>(body: string): Promise<T>;
  /** Presses keys in an element, as a person does. */
  press(selector: string, keys: string): Promise<void>;
}

/** The keys of the W3C's WebDriver that are no letters. */
export const keys = { control: '\uE009', enter: '\uE007' };

const elementKey = 'element-6066-11e4-a52e-4f735466cecf';
const scriptMs = 60_000;
const webkitFolder = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1';
const programs = {
  firefox: ['/usr/bin/firefox-esr'],
  webkit: ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb', `${webkitFolder}/MiniBrowser`],
};

/** Why a browser is not there to test with, or undefined when it is. */
export function missing(browser: keyof typeof programs): string | undefined {
  const lacking = programs[browser].filter((program) => !existsSync(program));
  return lacking.length === 0 ? undefined : `not installed: ${lacking.join(', ')}`;
}

/** One command of WebDriver: its name in Firefox, its path elsewhere. */
type Command = (name: string, path: string, parameters: object) => Promise<unknown>;

function browserOf(name: string, command: Command): OtherBrowser {
  return {
    name,
    open: async (url) => void (await command('WebDriver:Navigate', 'url', { url })),
    evaluate: async <T>(body: string) => {
      const script = `const end = arguments[arguments.length - 1];
        (async () => { ${body} })().then((value) => end({ value }), (error) => end({ error: String(error) }));`;
      const answer = await command('WebDriver:ExecuteAsyncScript', 'execute/async', { script, args: [] });
      const { value, error } = answer as { value: T; error?: string };
      if (error !== undefined) throw new Error(error);
      return value;
    },
    press: async (selector, text) => {
      const element = await command('WebDriver:FindElement', 'element', { using: 'css selector', value: selector });
      const id = (element as Record<string, string>)[elementKey] ?? '';
      await command('WebDriver:ElementSendKeys', `element/${id}/value`, { id, text });
    },
  };
}

/** Starts Firefox without a screen. */
export async function startFirefox(t: Scope): Promise<OtherBrowser> {
  const port = await freePort();
  const profile = directoryFor(t);
  writeFileSync(join(profile, 'user.js'), `user_pref('marionette.port', ${port});\n`);
  run(t, 'firefox-esr', ['--headless', '--marionette', '--no-remote', '--profile', profile]);
  const socket = await connected(port);
  t.teardown(() => socket.destroy());
  const call = marionette(socket);
  const { capabilities } = (await call('WebDriver:NewSession', {})) as Session;
  await call('WebDriver:SetTimeouts', { script: scriptMs });
  return browserOf(nameOf(capabilities), async (name, _, parameters) => {
    const answer = await call(name, parameters);
    return (answer as { value: unknown }).value;
  });
}

/** Starts WebKitGTK's small browser on a screen that nobody sees. */
export async function startWebkit(t: Scope): Promise<OtherBrowser> {
  const screen = run(t, 'Xvfb', ['-displayfd', '1', '-screen', '0', '1440x1000x24', '-nolisten', 'tcp']);
  await until(() => screen.stdout().includes('\n'));
  const port = await freePort();
  // Without a language the browser tells pages one that there is not.
  const variables = [`DISPLAY=:${screen.stdout().trim()}`, 'LANG=en_GB.UTF-8', 'LIBGL_ALWAYS_SOFTWARE=1'];
  run(t, 'env', [...variables, 'WebKitWebDriver', `--port=${port}`]);
  (await connected(port)).destroy();
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${port}/session${path}`, { method, headers, ...sent });
    const { value } = (await answer.json()) as { value: unknown };
    if (!answer.ok) throw new Error(JSON.stringify(value));
    return value;
  };
  const options = { binary: `${webkitFolder}/MiniBrowser`, args: ['--automation'] };
  const session = await call('POST', '', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } });
  const { sessionId, capabilities } = session as Session;
  t.teardown(() => call('DELETE', `/${sessionId}`));
  await call('POST', `/${sessionId}/timeouts`, { script: scriptMs });
  return browserOf(nameOf(capabilities), (_, path, parameters) => call('POST', `/${sessionId}/${path}`, parameters));
}

interface Session {
  readonly sessionId: string;
  readonly capabilities: Readonly<Record<'browserName' | 'browserVersion', string>>;
}

function nameOf({ browserName, browserVersion }: Session['capabilities']): string {
  return `${browserName} ${browserVersion}`;
}

/** A connection to a port that a program is about to open. */
async function connected(port: number): Promise<Socket> {
  let socket: Socket | undefined;
  await until(async () => {
    const attempt = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((tell) => {
      attempt.once('connect', () => tell(true));
      attempt.on('error', () => tell(false));
    });
    if (isOpen) socket = attempt;
    return isOpen;
  });
  if (socket === undefined) throw new Error(`Nothing listens on port ${port}.`);
  return socket;
}

/** Calls of Firefox's protocol: messages are `<bytes>:<JSON>`, of `[0, id, name, parameters]` and `[1, id, error, result]`. */
function marionette(socket: Socket): (name: string, parameters: object) => Promise<unknown> {
  const waiting = new Map<number, (error: unknown, result: unknown) => void>();
  let bytes = Buffer.alloc(0);
  let last = 0;
  socket.on('data', (more) => {
    bytes = Buffer.concat([bytes, more]);
    for (;;) {
      const begin = bytes.indexOf(':') + 1;
      const end = begin + Number(bytes.subarray(0, begin - 1));
      if (begin === 0 || bytes.length < end) return;
      const message: unknown = JSON.parse(bytes.toString('utf8', begin, end));
      bytes = bytes.subarray(end);
      // What it says of itself at first is no answer.
      if (Array.isArray(message)) waiting.get(message[1])?.(message[2], message[3]);
    }
  });
  return (name, parameters) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, (error, result) => {
        waiting.delete(id);
        if (error === null) resolve(result);
        else reject(new Error(JSON.stringify(error)));
      });
      const text = JSON.stringify([0, id, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}
