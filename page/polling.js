/**
 * Does something again and again, each time so long after the last one ended; not while the page is hidden. Returns what
 * stops it, and what makes the next time come at once.
 * @param {number} intervalMs
 * @param {() => Promise<void>} work
 */
export function poll(intervalMs, work) {
  let stopped = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let working = false;
  let again = false;

  const turn = async () => {
    clearTimeout(timer);
    if (stopped || document.hidden) return;
    if (working) {
      again = true;
      return;
    }
    working = true;
    try {
      await work();
    } finally {
      working = false;
      if (!stopped) timer = setTimeout(turn, again ? 0 : intervalMs);
      again = false;
    }
  };
  document.addEventListener('visibilitychange', turn);
  turn();
  return {
    now: turn,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', turn);
    },
  };
}
