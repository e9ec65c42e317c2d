import { join } from 'node:path';
import { takeScreenshots } from './screenshots.js';

await takeScreenshots(join(import.meta.dirname, '../../docs'));
