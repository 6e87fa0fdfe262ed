import { parentPort, workerData } from 'node:worker_threads';
import type { KubeObject } from '../../domain/resource.ts';
import { createRuleCheck } from './check-rules.ts';
import type { NewRule } from './new-rules.ts';

const { schema, rules } = workerData as { readonly schema: unknown; readonly rules: readonly NewRule[] };
const check = createRuleCheck(schema, rules);
parentPort?.on('message', (objects: readonly KubeObject[]) => parentPort?.postMessage(check(objects)));
