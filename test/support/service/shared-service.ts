import { startService, type TestService } from './service.js';

/** Files that use the service and have not ended. */
let users = 0;
let started: ReturnType<typeof startService> | undefined;
let second: Promise<TestService> | undefined;

/** What is small enough to be exceeded by a test. */
const limits = ['--limits.messageBytes=4MB'];

/** A service for the files of a folder. */
export interface SharedService {
  readonly service: TestService;
  /** A second service on the engine of the first: it makes no databases, answers what is stored, and takes lines of 64 KB and gRPC. */
  neighbour(): Promise<TestService>;
  end(): Promise<void>;
}

/**
 * The service of all files of a folder, which run in one process, one after the other. It makes databases as data arrives, also over
 * the lines of Graphite. A file makes what it needs in `test.before`, which runs in its turn; `end` removes everything that it has
 * left, and the last one stops the services.
 */
export async function sharedService(): Promise<SharedService> {
  users++;
  started ??= startService(
    '--smlAutoCreateDB=true',
    '--graphite.enable=true',
    '--graphite.port=0',
    '--lineproto_udp.enable=true',
    '--lineproto_udp.port=0',
    ...limits,
  );
  const { service, end: stop } = await started;
  const neighbour = (): Promise<TestService> => {
    second ??= service.attach('--limits.lineBytes=64KB', '--otlp.grpc=true', '--otlp.grpcPort=0', ...limits);
    return second;
  };
  const end = async (): Promise<void> => {
    if (--users > 0) return clear(service);
    await (await second)?.stop();
    await stop();
  };
  return { service, neighbour, end };
}

const builtIn = new Set<unknown>(['root', 'information_schema', 'performance_schema', 'log', 'audit']);

/** Drops all tokens, streams, topics, databases and users, with what is in them. */
export async function clear(service: TestService): Promise<void> {
  for (const [kind, list] of [
    ['TOKEN', 'SHOW TOKENS'],
    ['STREAM', 'SHOW STREAMS'],
    ['TOPIC FORCE', 'SHOW TOPICS'],
    ['DATABASE', 'SHOW DATABASES'],
    ['USER', 'SHOW USERS'],
  ]) {
    for (const [name] of await service.rows(list ?? '')) {
      if (!builtIn.has(name)) await service.run(`DROP ${kind} \`${String(name).replaceAll('`', '``')}\``);
    }
  }
}
