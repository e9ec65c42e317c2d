// One node of a cluster: the engine out of the installed package with its own HTTP and native listeners. The argument is a
// directory with its `config.xml`; the node lives until its standard input ends. Two more arguments give it replicated tables: the place
// that `findInterserver` has found, and the port at which others fetch its parts.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { announceInterserver, engineLibrary } from './interserver.js';

/** What is used of the package ffi-rs, which is asked for by name so that the tests build without it. */
interface ForeignCalls {
  readonly DataType: {
    readonly External: unknown;
    readonly String: unknown;
    readonly I32: unknown;
    readonly StringArray: unknown;
  };
  open(library: { readonly library: string; readonly path: string }): void;
  load(call: {
    readonly library: string;
    readonly funcName: string;
    readonly retType: unknown;
    readonly paramsType: readonly unknown[];
    readonly paramsValue: readonly unknown[];
  }): unknown;
}

const require = createRequire(import.meta.url);
const { DataType, load, open }: ForeignCalls = require('ffi-rs');

const [, , directory = '', place, partsPort] = process.argv;
// The engine reads what lies in its working directory, and this process is to leave nothing elsewhere.
process.chdir(directory);

const library = 'engine';
open({ library, path: engineLibrary() });
if (place !== undefined) announceInterserver(Number(place), Number(partsPort));

// The last query waits for the end of standard input.
const args = [
  'clickhouse',
  `--path=${join(directory, 'data')}`,
  `--config-file=${join(directory, 'config.xml')}`,
  '--structure=line String',
  '--input-format=LineAsString',
  '--query=SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; SELECT count() FROM table',
];
const result = load({
  library,
  funcName: 'chdb_query_cmdline',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
});
const problem = load({
  library,
  funcName: 'chdb_result_error',
  retType: DataType.String,
  paramsType: [DataType.External],
  paramsValue: [result],
});
if (typeof problem === 'string' && problem !== '') process.stderr.write(`${problem}\n`);
