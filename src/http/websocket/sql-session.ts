import type { Credentials } from '../../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import { notSupported } from '../../model/refusals.js';
import { version } from '../../model/version.js';
import { serverTimeZone } from '../../text/time-zones.js';
import { isFault } from '../request/auth.js';
import type { HandlerContext } from '../request/call.js';
import { parameterFault, readTimeZone } from '../request/parameters.js';
import { type Arguments, isObject } from './arguments.js';
import type { SocketAnswer, SocketLink, SocketSession } from './protocol.js';

/** The mode of a connection of programs for business intelligence. */
const biMode = 0;
/** Options of `options_connection`. */
const options = { charset: 0, timeZone: 1, address: 2, application: 3, connector: 4 } as const;

/** Longest name of an application or a connector that lists show, in characters. */
const maxNameLength = 256;

const duplicate = parameterFault('duplicate connections');
const noUser = fault('auth', Codes.authenticationFailure, 'Authentication failure');

/** A client of SQL, binding and schemaless writes: its user, and the state that its requests depend on. */
export class SqlSession implements SocketSession {
  credentials: Credentials | undefined;
  /** The current database. */
  database: string | undefined;
  /** IANA zone of times that statements write without one; undefined is the service's. */
  timeZone: string | undefined;
  application = '';
  connector = '';
  isBi = false;
  readonly link: SocketLink;
  readonly context: HandlerContext;
  #isConnecting = false;

  constructor(link: SocketLink, context: HandlerContext) {
    this.link = link;
    this.context = context;
  }

  /** Logs in. Throws FaultErrors; the client may try again then. */
  async connect(args: Arguments): Promise<SocketAnswer> {
    if (this.credentials !== undefined || this.#isConnecting) throw new FaultError(duplicate);
    this.#isConnecting = true;
    try {
      const credentials = this.#credentialsOf(args);
      const identity = await this.context.intake.authenticate(credentials);
      if (isFault(identity)) throw new FaultError(identity);
      this.#readMode(args);
      const database = args.text('db', '');
      if (database !== '') await this.#requireDatabase(identity.user, database);
      this.#set(options.timeZone, args.text('tz', ''));
      this.#set(options.application, args.text('app', ''));
      this.#set(options.connector, args.text('connector', ''));
      this.database = database === '' ? undefined : database;
      this.credentials = credentials;
    } finally {
      this.#isConnecting = false;
    }
    return { version };
  }

  /** Sets options of the connection: all of them, or none where one is refused. */
  setOptions(args: Arguments): SocketAnswer {
    const read = args.list('options').map((each) => {
      const { option, value } = isObject(each) ? each : {};
      if (typeof option !== 'number') throw new FaultError(parameterFault('args.options must be a list of options'));
      if (typeof value !== 'string' && value !== undefined && value !== null) {
        throw new FaultError(parameterFault(`the value of option ${option} must be a text or null`));
      }
      return { option, value: value ?? '' };
    });
    for (const { option, value } of read) this.#check(option, value);
    for (const { option, value } of read) this.#set(option, value);
    return {};
  }

  /** What `SERVER_VERSION()` gives. */
  serverInfo(): SocketAnswer {
    return { info: version };
  }

  currentDatabase(): SocketAnswer {
    return { db: this.database ?? '' };
  }

  connectionInfo(): SocketAnswer {
    const { credentials } = this;
    const user = credentials?.scheme === 'password' ? credentials.user : '';
    return { user, db: this.database ?? '', tz: this.timeZone ?? serverTimeZone(), app: this.application };
  }

  tick(): void {}

  close(): void {}

  #credentialsOf(args: Arguments): Credentials {
    const { from, foreignPage } = this.link;
    if (args.text('totp_code', '') !== '') throw new FaultError(notSupported('TOTP codes'));
    const token = args.text('bearer_token', '');
    if (token !== '') return { scheme: 'token', token, from };
    const [user, password] = [args.text('user', ''), args.text('password', '')];
    if (user === '' || password === '') throw new FaultError(noUser);
    const page = foreignPage === undefined ? {} : { foreignPage };
    return { scheme: 'password', user, password, from, ...page };
  }

  #readMode(args: Arguments): void {
    const mode = args.value('mode');
    if (mode !== undefined && mode !== biMode) throw new FaultError(parameterFault(`unexpected mode: ${String(mode)}`));
    this.isBi = mode === biMode;
  }

  async #requireDatabase(user: string, database: string): Promise<void> {
    const vgroups = await this.context.intake.vgroups(user, database, []);
    if (isFault(vgroups)) throw new FaultError(vgroups);
  }

  #check(option: number, value: string): void {
    const failure = optionFault(option, value);
    if (failure !== undefined) throw new FaultError(failure);
  }

  #set(option: number, value: string): void {
    this.#check(option, value);
    if (option === options.timeZone) this.timeZone = value === '' ? undefined : String(readTimeZone(value));
    else if (option === options.application) this.application = value;
    else if (option === options.connector) this.connector = value;
  }
}

/** Why an option cannot have a value. The address of a client is the one it calls from, whatever it says. */
function optionFault(option: number, value: string): Fault | undefined {
  switch (option) {
    case options.timeZone: {
      const zone = readTimeZone(value);
      return typeof zone === 'string' ? undefined : zone;
    }
    case options.charset:
      return ['', 'utf-8', 'utf8'].includes(value.toLowerCase()) ? undefined : notSupported(`charset ${value}`);
    case options.application:
    case options.connector:
      return value.length <= maxNameLength ? undefined : parameterFault(`option ${option} is too long`);
    case options.address:
      return undefined;
    default:
      return parameterFault(`unknown option ${option}`);
  }
}
