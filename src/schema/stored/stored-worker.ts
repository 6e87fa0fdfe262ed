import { parentPort, workerData } from 'node:worker_threads';
import '../../domain/core/exact-json.ts';
import { storedFaults } from '../../domain/upgrade/crd-safety/judge-upgrade.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { createRuleCheck } from '../rules/check-rules.ts';
import type { CheckerSubject, CheckerMessage } from './stored-checker.ts';

const subject = workerData as CheckerSubject;
const checkRules = createRuleCheck(subject.schema, subject.rules);
const tell = (message: CheckerMessage): void => parentPort?.postMessage(message);

parentPort?.on('message', (objects: readonly KubeObject[]) => {
  // What the schema says is told first, so that a rule that never ends keeps nobody from knowing it.
  tell({ faults: storedFaults(subject, objects) });
  tell({ rules: checkRules(objects) });
});
