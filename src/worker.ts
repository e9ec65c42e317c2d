#!/usr/bin/env node
import { runWorker } from './worker-service.js';

await runWorker();
