import { byteOrderMarkLength } from '../bytes/byte-order-mark.js';

/**
 * How the samples of an exporter or a push are written: text 0.0.4, OpenMetrics text, or delimited protobuf messages.
 */
export type ExpositionForm = 'text' | 'openmetrics' | 'protobuf';

const formsByType: Readonly<Record<string, ExpositionForm>> = {
  'application/openmetrics-text': 'openmetrics',
  'application/vnd.google.protobuf': 'protobuf',
};

/** The form that a content type names; text unless it is known to be another. */
export function expositionForm(contentType: string | undefined): ExpositionForm {
  return formsByType[(contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()] ?? 'text';
}

/**
 * Head before samples for their parser: a line with their form, and their source, which is the address of a target or
 * the labels that all of them get.
 */
export function expositionHead(form: ExpositionForm, source: string | ReadonlyMap<string, string>): Buffer {
  const text = typeof source === 'string' ? source : JSON.stringify(Object.fromEntries(source));
  return Buffer.from(`${form} ${text}\n`);
}

/** Reads what {@link expositionHead} wrote, and where the samples begin. */
export function readExpositionHead(bytes: Uint8Array): { form: ExpositionForm; source: string; start: number } {
  const end = bytes.indexOf(0x0a);
  const head = Buffer.from(bytes.subarray(0, end)).toString();
  const separator = head.indexOf(' ');
  const word = head.slice(0, separator);
  const form = word === 'openmetrics' || word === 'protobuf' ? word : 'text';
  const mark = form === 'protobuf' ? 0 : byteOrderMarkLength(bytes, end + 1);
  return { form, source: head.slice(separator + 1), start: end + 1 + mark };
}
