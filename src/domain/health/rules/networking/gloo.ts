import { at, objectAt, textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import type { Health } from '../../health.ts';
import { otherwise, progressing, type HealthRule, type HealthRules } from '../rule.ts';

/** The state is a word since Gloo 1.9, and a number before. */
const STATES: readonly (readonly [Health['status'], readonly unknown[], string])[] = [
  ['Degraded', ['Rejected', 2], 'The resource was rejected'],
  ['Degraded', ['Warning', 3], 'The resource has warnings'],
  ['Suspended', ['Pending', 0], 'The resource has not yet been validated'],
  ['Healthy', ['Accepted', 1], 'The resource has been validated'],
];

/** Gloo (docs.solo.io): each of its namespaces tells what it thinks of the resource; the worst counts. */
const RULE: HealthRule = [validated, progressing(otherwise, 'Update in progress')];

export const gloo: HealthRules = { 'gateway.solo.io/*': RULE, 'gloo.solo.io/*': RULE };

function validated({ status }: KubeObject): Health | undefined {
  const reports = [status, ...Object.values(objectAt(status, 'statuses'))];
  for (const [health, states, message] of STATES) {
    const report = reports.find((item) => states.includes(at(item, 'state')));
    if (report !== undefined) return { status: health, message: (health === 'Degraded' ? textAt(report, 'reason') : undefined) ?? message };
  }
  return undefined;
}
