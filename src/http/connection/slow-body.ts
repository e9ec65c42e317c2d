import type { IncomingMessage } from 'node:http';
import { CoalescedMessage } from './coalesced-message.js';

/** Bytes that a client who goes on sending a body sends between two looks at the least. */
const leastBytes = 65_536;

/**
 * Cuts the connection of a request that was answered before its body had come, as a refused one is, once less than 64
 * KB come in a span. An honest sender may send the body to its end, because many clients read no answer before that;
 * one in tiny pieces may not.
 */
export function cutWhenSlow(request: IncomingMessage, everyMs: number): void {
  if (request instanceof CoalescedMessage) request.answered();
  const { socket } = request;
  const isOver = (): boolean => request.complete || socket.destroyed;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const { bytesRead } = socket;
    const isSlow = bytesRead - before < leastBytes;
    before = bytesRead;
    if (!isOver() && !isSlow) return;
    clearInterval(timer);
    if (!isOver()) socket.destroy();
  }, everyMs);
  timer.unref();
}
