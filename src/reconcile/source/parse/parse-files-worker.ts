import { parentPort } from 'node:worker_threads';
import type { SourceFile } from '../read-folder.ts';
import { parsePlainFile } from './parse-file.ts';

// Reads one file after the other.

parentPort?.on('message', (file: SourceFile) => parentPort?.postMessage(parsePlainFile(file)));
