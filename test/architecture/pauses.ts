/**
 * How often each test file waits for a time to pass. The list shrinks: nothing is added. A change that removes a pause lowers the
 * number here.
 */
export const pauses: Readonly<Record<string, number>> = {
  'database/host/server/handler.test.ts': 2,
  'e2e/adapter-kill.long.test.ts': 1,
  'e2e/dialect/cancel.long.test.ts': 2,
  'e2e/events-engine-kill.long.test.ts': 1,
  'e2e/load-tool/endings.long.test.ts': 1,
  'e2e/load-tool/subscribe.long.test.ts': 2,
  'e2e/outage.long.test.ts': 3,
  'e2e/streaming.long.test.ts': 1,
  'http/handlers/sql-result.test.ts': 2,
};
