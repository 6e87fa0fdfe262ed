import { at, listAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import {
  all,
  condition,
  degraded,
  fewer,
  field,
  type HealthLine,
  type HealthRule,
  type HealthRules,
  healthy,
  not,
  otherwise,
  outdated,
  present,
  progressing,
  suspended,
  unknown,
} from './rule.ts';
import { numberedConditions } from './conditions.ts';

const PHASE = 'status.phase';

/** Cluster API (cluster-api.sigs.k8s.io): machines are counted, resources of a cluster are applied once. */
const clusterApi: HealthRules = {
  'addons.cluster.x-k8s.io/ClusterResourceSet': [
    progressing(outdated(), 'Initializing cluster resource set'),
    healthy(condition('ResourcesApplied'), 'cluster resource set is applied'),
    degraded(condition('ResourcesApplied', 'False')),
    progressing(otherwise, 'Initializing cluster resource set'),
  ],
  'cluster.x-k8s.io/MachineDeployment': [
    suspended(field('spec.paused', true), 'MachineDeployment is paused'),
    progressing(field(PHASE, 'ScalingUp'), 'Cluster is spawning machines'),
    progressing(field(PHASE, 'ScalingDown'), 'Cluster is stopping machines'),
    degraded(field(PHASE, 'Failed'), 'MachineDeployment is failed'),
    healthy(field(PHASE, 'Running'), 'Machines are running under this deployment'),
  ],
  'cluster.x-k8s.io/MachineHealthCheck': [
    degraded(condition('RemediationAllowed', 'False')),
    degraded(
      fewer('status.currentHealthy', 'status.expectedMachines'),
      '{status.currentHealthy|0} of {status.expectedMachines} machines are healthy',
    ),
    healthy(present('status.expectedMachines'), '{status.currentHealthy|0} of {status.expectedMachines} machines are healthy'),
  ],
};

/** What the member clusters say of the resource that is spread over them. One that is bound by a dependant names no clusters itself. */
const members: HealthLine = ({ spec, status }) => {
  const wanted = listAt(spec, 'clusters').length;
  const states = listAt(status, 'aggregatedStatus');
  if (states.length === 0 || states.length < wanted) return { status: 'Progressing', message: 'Current resource status is insufficient' };
  const isWell = states.slice(0, MAX_MEMBERS).every((state) => at(state, 'applied') === true && at(state, 'health') !== 'Unhealthy');
  return isWell ? undefined : { status: 'Degraded', message: 'Current resource status is unhealthy' };
};

const MAX_MEMBERS = 1000;

const rule: HealthRule = [members, healthy(otherwise)];

/** Karmada (karmada.io): which resource goes to which clusters. */
const karmada: HealthRules = {
  'work.karmada.io/ResourceBinding': rule,
  'work.karmada.io/ClusterResourceBinding': rule,
};

const ERROR = 'status.errorMessage';
const STATE = 'status.provisioning.state';

/** Metal³ (book.metal3.io/bmo): a machine that can be used, or is. */
const metal3: HealthRules = {
  'metal3.io/BareMetalHost': [
    degraded(all(field(ERROR), not(field(ERROR, '')))),
    suspended(field('status.operationalStatus', 'detached')),
    healthy(field(STATE, 'available', 'ready', 'provisioned', 'externally provisioned', 'unmanaged')),
    progressing(all(field(STATE), not(field(STATE, '')))),
    progressing(otherwise, 'Waiting for BareMetalHost'),
  ],
};

const OPERATOR_LIFECYCLE_MANAGER_STATE = 'status.state';
const MESSAGE = '{status.message|The operator reports no message}';
const CONNECTION = 'status.connectionState.lastObservedState';

function statusMessage(_: string, object: KubeObject): string {
  const state = textAt(object.status, 'state');
  return `${numberedConditions(object)}.status.state ${state === undefined ? 'not yet known' : `is '${state}'`}\n`;
}

/** An installed operator for which a newer version lies ready until somebody approves of it. */
const awaitsApproval = all(
  field(OPERATOR_LIFECYCLE_MANAGER_STATE, 'UpgradePending'),
  field('spec.installPlanApproval', 'Manual'),
  condition('InstallPlanPending', 'True', 'RequiresApproval'),
  present('status.installedCSV'),
);

function messageOfApproval(_: string, object: KubeObject): string {
  const lines = numberedConditions(object).split('\n');
  const others = lines.filter((line) => line !== '' && !line.includes(': InstallPlanPending |')).map((line) => `${line}\n`);
  return `${others.join('')}.status.state is 'UpgradePending' (manual InstallPlan approval pending; treated as healthy)\n`;
}

/** The Operator Lifecycle Manager (olm.operatorframework.io). All conditions of a subscription are warnings. */
const operatorLifecycleManager: HealthRules = {
  'operators.coreos.com/Subscription': [
    degraded(condition(['CatalogSourcesUnhealthy', 'InstallPlanFailed', 'ResolutionFailed', 'BundleUnpackFailed']), statusMessage),
    healthy(field(OPERATOR_LIFECYCLE_MANAGER_STATE, 'AtLatestKnown'), statusMessage),
    healthy(awaitsApproval, messageOfApproval),
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

export const clusters: readonly HealthRules[] = [clusterApi, karmada, metal3, operatorLifecycleManager];
