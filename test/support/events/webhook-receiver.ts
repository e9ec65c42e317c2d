import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

/** What was posted to a webhook. */
export interface PostedEvents {
  readonly service: string;
  readonly text: string;
  readonly events: readonly (Readonly<Record<string, unknown>> & {
    readonly change: string;
    readonly title: string;
    readonly elementId: string;
    readonly rule: string;
  })[];
}

/** A webhook on loopback; `status` gives the answer to each post. */
export async function webhookReceiver(status: () => number = () => 200) {
  const posts: PostedEvents[] = [];
  const heads: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const code = status();
    heads.push(request.headers);
    if (code < 300) posts.push(JSON.parse(body));
    response.writeHead(code).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    posts,
    heads,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
