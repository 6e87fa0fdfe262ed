import { textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { numberedConditions } from '../conditions.ts';
import {
  all,
  condition,
  degraded,
  field,
  healthy,
  otherwise,
  present,
  progressing,
  suspended,
  unknown,
  type HealthRules,
} from '../rule.ts';

const STATE = 'status.state';
const PHASE = 'status.phase';
const MESSAGE = '{status.message|The operator reports no message}';
const CONNECTION = 'status.connectionState.lastObservedState';

function statusMessage(_: string, object: KubeObject): string {
  const state = textAt(object.status, 'state');
  return `${numberedConditions(object)}.status.state ${state === undefined ? 'not yet known' : `is '${state}'`}\n`;
}

/** An installed operator for which a newer version lies ready until somebody approves of it. */
const awaitsApproval = all(
  field(STATE, 'UpgradePending'),
  field('spec.installPlanApproval', 'Manual'),
  condition('InstallPlanPending', 'True', 'RequiresApproval'),
  present('status.installedCSV'),
);

function toldWithoutPlan(_: string, object: KubeObject): string {
  const lines = numberedConditions(object).split('\n');
  const others = lines.filter((line) => line !== '' && !line.includes(': InstallPlanPending |')).map((line) => `${line}\n`);
  return `${others.join('')}.status.state is 'UpgradePending' (manual InstallPlan approval pending; treated as healthy)\n`;
}

/** The Operator Lifecycle Manager (olm.operatorframework.io). All conditions of a subscription are warnings. */
export const operatorLifecycleManager: HealthRules = {
  'operators.coreos.com/Subscription': [
    degraded(condition(['CatalogSourcesUnhealthy', 'InstallPlanFailed', 'ResolutionFailed', 'BundleUnpackFailed']), statusMessage),
    healthy(field(STATE, 'AtLatestKnown'), statusMessage),
    healthy(awaitsApproval, toldWithoutPlan),
    progressing(otherwise, statusMessage),
  ],
  'operators.coreos.com/ClusterServiceVersion': [
    healthy(field(PHASE, 'Succeeded'), MESSAGE),
    degraded(field(PHASE, 'Failed'), MESSAGE),
    unknown(field(PHASE, 'Unknown'), MESSAGE),
    progressing(otherwise, '{status.message|Waiting for the operator to be installed}'),
  ],
  'operators.coreos.com/InstallPlan': [
    healthy(field(PHASE, 'Complete')),
    degraded(field(PHASE, 'Failed'), MESSAGE),
    suspended(field(PHASE, 'RequiresApproval'), 'Waiting for approval'),
    progressing(otherwise, '{status.phase|Planning}'),
  ],
  'operators.coreos.com/CatalogSource': [
    healthy(field(CONNECTION, 'READY')),
    degraded(field(CONNECTION, 'TRANSIENT_FAILURE')),
    progressing(otherwise, '{status.message|Waiting for the catalog to be served}'),
  ],
};
