import { constants, type ServerHttp2Session } from 'node:http2';
import { Duplex } from 'node:stream';

/** Frames of a call that are not counted: its message is short. */
const firstFrames = 4;
/** Frames behind those that a connection may send, over all its calls, with fewer bytes in each on average. */
const mostSmallFrames = 1_024;
const leastMeanBytes = 256;

/** Frames since the last look at their size, and their bytes. */
interface FrameCount {
  frames: number;
  bytes: number;
}

const counts = new WeakMap<ServerHttp2Session, FrameCount>();

/**
 * Closes the connection of a call, with the error ENHANCE_YOUR_CALM of HTTP/2, once it sends messages in very many
 * small frames. Each frame is a buffer and some work, however little it holds; honest clients fill all frames of a
 * message but the last.
 */
export function limitFrames(call: object): void {
  // The library keeps the stream of a call to itself.
  const stream: unknown = Reflect.get(call, 'stream');
  if (!(stream instanceof Duplex) || !('session' in stream)) throw new Error('A call has no stream.');
  const { session } = stream;
  if (!isSession(session)) return;
  const count = countOf(session);
  let left = firstFrames;
  stream.on('data', ({ length }: Buffer) => {
    if (left > 0) {
      left--;
      return;
    }
    count.frames++;
    count.bytes += length;
    if (count.frames < mostSmallFrames) return;
    const areSmall = count.bytes < count.frames * leastMeanBytes;
    count.frames = 0;
    count.bytes = 0;
    if (!areSmall) return;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    session.destroy();
  });
}

function countOf(session: ServerHttp2Session): FrameCount {
  const known = counts.get(session);
  if (known !== undefined) return known;
  const count = { frames: 0, bytes: 0 };
  counts.set(session, count);
  return count;
}

function isSession(session: unknown): session is ServerHttp2Session {
  return typeof session === 'object' && session !== null && 'goaway' in session;
}
