import { dataType } from '../../model/schema.js';
import { quoteString } from '../engine/quote.js';
import { castToEngine } from '../engine/storage.js';
import type { ScalarFunction } from './spec.js';

function constant(name: string, length: number, text: ScalarFunction['translate']): ScalarFunction {
  return { kind: 'scalar', name, parameters: [], result: dataType('VARCHAR', length), translate: text };
}

/** Functions that tell about the service and the request. */
export const systemFunctions: readonly ScalarFunction[] = [
  constant('SERVER_VERSION', 32, (_, env) => quoteString(env.context.serverVersion)),
  constant('CLIENT_VERSION', 32, (_, env) => quoteString(env.context.serverVersion)),
  constant('CURRENT_USER', 128, (_, env) => quoteString(env.context.user)),
  constant('USER', 128, (_, env) => quoteString(env.context.user)),
  constant('DATABASE', 64, (_, env) => {
    const { database } = env.context;
    return database === undefined ? castToEngine('NULL', dataType('VARCHAR', 64)) : quoteString(database);
  }),
  { kind: 'scalar', name: 'SERVER_STATUS', parameters: [], result: dataType('INT'), translate: () => '1' },
];
