import { join } from 'node:path';
import { writeDeb } from './deb.js';

process.stdout.write(`${writeDeb(join(import.meta.dirname, '../../dist'))}\n`);
