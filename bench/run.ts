import { run as arriving } from './arriving.bench.js';
import { run as cluster } from './cluster.bench.js';
import { run as concurrentQueries } from './concurrent-queries.bench.js';
import { run as dashboard } from './dashboard.bench.js';
import { run as encodedRows } from './encoded-rows.bench.js';
import { run as engineNative } from './engine-native.bench.js';
import { run as eventsList } from './events-list.bench.js';
import { run as eventsRules } from './events-rules.bench.js';
import { run as generatedRows } from './generated-rows.bench.js';
import { run as inputs } from './inputs.bench.js';
import { run as insertScanner } from './insert-scanner.bench.js';
import { run as insertWrite } from './insert-write.bench.js';
import { run as lineprotoParse } from './lineproto-parse.bench.js';
import { run as lineprotoWrite } from './lineproto-write.bench.js';
import { run as loadTool } from './load-tool.bench.js';
import { run as promql } from './promql.bench.js';
import { run as remoteWrite } from './remote-write.bench.js';
import { run as sqlQuery } from './sql-query.bench.js';
import { run as stages } from './stages.bench.js';
import { run as statsgw } from './statsgw.bench.js';
import { run as tsdbwire } from './tsdbwire.bench.js';
import { run as webSocket } from './websocket.bench.js';

const benches = {
  lineprotoParse,
  insertScanner,
  stages,
  engineNative,
  lineprotoWrite,
  insertWrite,
  remoteWrite,
  inputs,
  sqlQuery,
  promql,
  dashboard,
  arriving,
  concurrentQueries,
  tsdbwire,
  statsgw,
  generatedRows,
  encodedRows,
  loadTool,
  eventsRules,
  eventsList,
  cluster,
  webSocket,
};
const names = process.argv.slice(2);

/** Runs all benches, or those whose names are given: `npm run bench -- engineNative lineprotoWrite`. */
for (const [name, run] of Object.entries(benches)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`# ${name}`);
  await run();
}
