import { dataType } from '../../model/schema.js';
import { quoteString } from '../engine/quote.js';
import { castToEngine } from '../engine/storage.js';
import { type ScalarFunction, scalar } from './spec.js';

function constant(name: string, length: number, text: ScalarFunction['translate']): ScalarFunction {
  return scalar(name, [], dataType('VARCHAR', length), text);
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
  scalar('SERVER_STATUS', [], dataType('INT'), () => '1'),
];
