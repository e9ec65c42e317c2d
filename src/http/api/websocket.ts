import type { Operation } from './description.js';
import { noScheme, refusal, unavailable } from './shared.js';

/** Opening a connection of WebSocket; its client logs in with its first message. */
function connection(operationId: string, summary: string, description: string): Operation {
  return {
    operationId,
    summary,
    description: `${description} Requests are text messages \`{"action": …, "args": {"req_id": …}}\`, or binary ones; docs/connectors.md lists the actions.
An answer has \`code\` (0 is success), \`message\`, \`action\`, \`req_id\` and \`timing\` in ns.`,
    tags: ['WebSocket'],
    responses: {
      101: { description: 'The connection is open.' },
      403: refusal('A page of another origin calls, and `cors.allowWebSockets` is off.'),
      426: refusal('The request is no upgrade to WebSocket.'),
      503: unavailable,
    },
    security: noScheme,
  };
}

const login = 'The client logs in with the action `conn`.';

/** The paths of WebSocket. */
export const socketOperations = {
  open: connection('openWebSocket', 'Queries, binding and schemaless writes', login),
  openQueries: connection('openQueryWebSocket', 'The older path of queries', login),
  openBinding: connection('openBindingWebSocket', 'The older path of binding', login),
  openSchemaless: connection('openSchemalessWebSocket', 'The older path of schemaless writes', login),
  openTopics: connection('openTopicWebSocket', 'Topics', 'The client logs in with the action `subscribe`.'),
} as const satisfies Readonly<Record<string, Operation>>;
