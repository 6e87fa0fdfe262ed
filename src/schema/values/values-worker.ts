/** The thread of `check-values.ts`: holds one set of values against one schema and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { STARTED } from './started.ts';
import { valueFaults } from './value-faults.ts';

const { schema, values } = workerData as { readonly schema: JsonObject; readonly values: Json };
parentPort?.postMessage(STARTED);
parentPort?.postMessage(valueFaults(schema, values));
