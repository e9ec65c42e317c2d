#!/usr/bin/env node
import { basename } from 'node:path';
import { runLoadProgram } from './load/program.js';

const program = basename(process.argv[1] ?? 'sluice-bench')
  .replace(/\.js$/, '')
  .replace(/^bench$/, 'sluice-bench');

process.exitCode = await runLoadProgram({
  program,
  argv: process.argv.slice(2),
  env: process.env,
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
});
