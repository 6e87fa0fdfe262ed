/** The thread of `stored-checker.ts`: holds one page of objects after the other against the schema and the rules that it begins with. */
import { workerData } from 'node:worker_threads';
import '../../domain/core/exact-json.ts';
import { storedFaults } from '../../domain/upgrade/crd-safety/stored-checks.ts';
import type { InstanceFault } from '../../domain/upgrade/crd-safety/finding.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { serveJobs } from '../../thread/serve-jobs.ts';
import { createRuleCheck, type NewRule, type RulesAnswer } from '../rules/check-rules.ts';

/** What objects are held against. */
export interface CheckerSubject {
  /** `openAPIV3Schema` of the version that the objects are in. */
  readonly schema: unknown;
  /** What paths of faults begin with. */
  readonly prefix: string;
  readonly rules: readonly NewRule[];
}

const subject = workerData as CheckerSubject;
const checkRules = createRuleCheck(subject.schema, subject.rules);

export const STORED_JOBS = { check };

serveJobs(STORED_JOBS);

/** What the schema says is reported first, so that a rule that never ends keeps nobody from knowing it. */
function* check(objects: readonly KubeObject[]): Generator<readonly InstanceFault[], RulesAnswer> {
  yield storedFaults(subject, objects);
  return checkRules(objects);
}
