// Health check of the image: the exit code is 0 while the service on this machine takes writes, and 1 otherwise.
const port = process.env.ADAPTER_PORT || '6041';
const timeoutMs = 5_000;
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/-/ping`, { signal: AbortSignal.timeout(timeoutMs) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
