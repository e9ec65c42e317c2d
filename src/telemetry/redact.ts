import { stdSerializers } from 'pino';
import { mask } from '../text/mask.js';

const secretNames: ReadonlySet<string> = new Set(['password', 'token', 'authorization', 'p']);
const deepest = 8;

/**
 * A copy of log fields in which the values of secret names (`password`, `token`, `authorization`, `p`, in any case and
 * as the end of a longer name such as `httpPassword`) are masked, at every depth. Errors become plain objects, so that
 * what they carry is masked too. Below eight levels nothing is shown: that also ends cycles.
 */
export function redactFields(fields: object): Record<string, unknown> {
  return redactEntries(fields, 0);
}

function redactEntries(value: object, depth: number): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    result[name] = isSecretName(name) && inner !== undefined && inner !== null ? mask : redactValue(inner, depth + 1);
  }
  return result;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return '[...]';
  if (Array.isArray(value)) return value.map((element) => redactValue(element, depth + 1));
  if (value instanceof Error) return redactEntries(stdSerializers.err(value), depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactValue(value.toJSON(), depth + 1);
  return redactEntries(value, depth);
}

function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  return secretNames.has(lower) || lower.endsWith('password') || lower.endsWith('token');
}
