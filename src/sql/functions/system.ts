import { dataType } from '../../model/schema.js';
import { nullWord, one, text } from '../engine/build.js';
import { castToEngine } from '../engine/storage.js';
import { type ScalarFunction, scalar } from './spec.js';

function constant(name: string, length: number, translate: ScalarFunction['translate']): ScalarFunction {
  return scalar(name, [], dataType('VARCHAR', length), translate);
}

/** Functions of the service and the request. */
export const systemFunctions: readonly ScalarFunction[] = [
  constant('SERVER_VERSION', 32, (_, env) => text(env.context.serverVersion)),
  constant('CLIENT_VERSION', 32, (_, env) => text(env.context.serverVersion)),
  constant('CURRENT_USER', 128, (_, env) => text(env.context.user)),
  constant('USER', 128, (_, env) => text(env.context.user)),
  constant('DATABASE', 64, (_, env) => {
    const { database } = env.context;
    return database === undefined ? castToEngine(nullWord, dataType('VARCHAR', 64)) : text(database);
  }),
  scalar('SERVER_STATUS', [], dataType('INT'), () => one),
];
