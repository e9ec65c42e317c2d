/** Content type of a result format, as the engine's own HTTP interface names it. */
export function contentTypeOf(format: string): string {
  if (/^JSON(Strings|Compact)?.*EachRow/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (/^CSVWithNames/.test(format)) return 'text/csv; charset=UTF-8; header=present';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8; header=absent';
  if (/^(TabSeparated|TSV)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  if (format === 'XML') return 'application/xml; charset=UTF-8';
  if (format === 'Prometheus') return 'text/plain; version=0.0.4; charset=UTF-8';
  if (/^(Pretty|Vertical|Values|Markdown|SQLInsert|Template|Hash|Null|LineAsString|RawBLOB)/.test(format)) {
    return 'text/plain; charset=UTF-8';
  }
  return 'application/octet-stream';
}
