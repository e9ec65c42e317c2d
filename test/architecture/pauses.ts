/**
 * How often each test file waits for a time to pass. The list shrinks: nothing is added, and whoever takes a pause away lowers the
 * number here.
 */
export const pauses: Readonly<Record<string, number>> = {
  'database/host/server/handler.test.ts': 2,
  'e2e/adapter-kill.long.test.ts': 3,
  'e2e/dialect/cancel.long.test.ts': 3,
  'e2e/events-engine-kill.long.test.ts': 1,
  'e2e/events.test.ts': 1,
  'e2e/load-tool/endings.long.test.ts': 1,
  'e2e/load-tool/subscribe.long.test.ts': 2,
  'e2e/outage.long.test.ts': 6,
  'e2e/shared-storage.long.test.ts': 1,
  'e2e/sql.test.ts': 1,
  'e2e/streaming.long.test.ts': 1,
  'e2e/two-adapters.long.test.ts': 3,
  'http/handlers/sql-result.test.ts': 2,
};
