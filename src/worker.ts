#!/usr/bin/env node
import { runWorker } from './service/worker-service.js';

await runWorker();
