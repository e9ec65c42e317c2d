#!/usr/bin/env node
import { runProgram } from './database/host/program.js';

await runProgram(import.meta.url, process.argv.slice(2));
