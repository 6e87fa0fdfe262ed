import { at, listAt, objectAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import { conditionsIn } from './conditions.ts';
import {
  absent,
  condition,
  conditionAs,
  conditionOutdated,
  degraded,
  either,
  field,
  type Finding,
  type HealthLine,
  type HealthRule,
  type HealthRules,
  healthy,
  otherwise,
  outdated,
  present,
  progressing,
  reasonOf,
  suspended,
} from './rule.ts';
import { ancestorsHealth } from './gateway-api.ts';

/** An ancestor that has judged, and has not said that it accepts. */
const unaccepted: HealthLine = ({ kind, status }) => {
  const ancestor = listAt(status, 'ancestors')
    .slice(0, MAX_ANCESTORS)
    .find((item) => {
      const conditions = conditionsIn(at(item, 'conditions'));
      return conditions.length > 0 && conditions.every(({ type }) => type !== 'Accepted');
    });
  if (ancestor === undefined) return undefined;
  return { status: 'Degraded', message: `Ancestor ${textAt(ancestor, 'ancestorRef', 'name') ?? ''}: ${kind} is not accepted` };
};

const MAX_ANCESTORS = 50;

/** The other kinds are only referred to, and have no status of their own as long as nobody does. */
const isPolicy: Finding = ({ kind }) => (kind.endsWith('Policy') ? '' : undefined);

/** Airlock Microgateway (docs.airlock.com/microgateway): policies of the Gateway API; what no ancestor says a word against is in force. */
const airlock: HealthRules = {
  'microgateway.airlock.com/*': [
    unaccepted,
    ancestorsHealth,
    healthy(present('status.ancestors.0'), '{kind} is healthy'),
    progressing(either(isPolicy, present('status')), 'Waiting for {kind} status'),
  ],
};

/** The AWS Load Balancer Controller, which says no more of a binding than which generation it has seen. */
const awsLoadBalancerController: HealthRules = {
  'elbv2.k8s.aws/TargetGroupBinding': [
    progressing(either(absent('status.observedGeneration'), outdated()), 'Waiting for {kind} to be reconciled'),
    healthy(otherwise, '{kind} is reconciled'),
  ],
};

const rule: HealthRule = [
  progressing(conditionOutdated('Valid'), 'Waiting for status'),
  healthy(condition('Valid')),
  degraded(condition('Valid', 'False')),
  progressing(otherwise, 'Waiting for status'),
];

/** Contour (projectcontour.io): `Valid` sums up the errors and warnings found in an object. */
const contour: HealthRules = {
  'projectcontour.io/ExtensionService': rule,
  'projectcontour.io/HTTPProxy': rule,
};

/** The state is a word since Gloo 1.9, and a number before. */
const STATES: readonly (readonly [Health['status'], readonly unknown[], string])[] = [
  ['Degraded', ['Rejected', 2], 'The resource was rejected'],
  ['Degraded', ['Warning', 3], 'The resource has warnings'],
  ['Suspended', ['Pending', 0], 'The resource has not yet been validated'],
  ['Healthy', ['Accepted', 1], 'The resource has been validated'],
];

/** Gloo (docs.solo.io): each of its namespaces tells what it thinks of the resource; the worst counts. */
const RULE: HealthRule = [validated, progressing(otherwise, 'Update in progress')];

const gloo: HealthRules = { 'gateway.solo.io/*': RULE, 'gloo.solo.io/*': RULE };

function validated({ status }: KubeObject): Health | undefined {
  const reports = [status, ...Object.values(objectAt(status, 'statuses'))];
  for (const [health, states, message] of STATES) {
    const report = reports.find((item) => states.includes(at(item, 'state')));
    if (report !== undefined) return { status: health, message: (health === 'Degraded' ? textAt(report, 'reason') : undefined) ?? message };
  }
  return undefined;
}

const STATUS = 'status.status';

/** The operator that Istio had before version 1.24, with the words of its API. */
const istioOperator: HealthRules = {
  'install.istio.io/IstioOperator': [
    healthy(field(STATUS, 'HEALTHY'), 'Component is healthy.'),
    progressing(field(STATUS, 'UPDATING'), 'Component is being updated to a different version.'),
    progressing(field(STATUS, 'RECONCILING'), 'Controller has started but not yet completed reconciliation loop for the component.'),
    suspended(field(STATUS, 'ACTION_REQUIRED'), 'Component needs somebody to act.'),
    degraded(field(STATUS, 'ERROR'), 'Component is in an error state.'),
    progressing(otherwise, 'Waiting for the operator to report a status.'),
  ],
};

/** Istio's analyzers (istio.io/latest/docs/reference/config/analysis-messages) write what they find into each resource, where that is enabled. */
const istio: HealthRules = { 'networking.istio.io/*': [misconfigured], 'security.istio.io/*': [misconfigured] };

function misconfigured({ status }: KubeObject): Health | undefined {
  const error = listAt(status, 'validationMessages').find((one) => textAt(one, 'level') === 'ERROR');
  if (error === undefined) return undefined;
  const words = [textAt(error, 'type', 'name'), textAt(error, 'type', 'code'), textAt(error, 'documentationUrl')].filter(
    (word) => word !== undefined,
  );
  return { status: 'Degraded', message: words.join(', ') };
}

const SAID = '{reason}: {message}';

/** A policy has the condition `Degraded`, what becomes of it on one node `Failing` and `Aborted`. */
const nmstateRule: HealthRule = [
  suspended(reasonOf('Ignored')),
  degraded(conditionAs(SAID, ['Degraded', 'Failing', 'Aborted'])),
  progressing(conditionAs(SAID, ['Progressing', 'Pending'])),
  healthy(conditionAs(SAID, 'Available')),
  progressing(otherwise, 'Waiting for policy to be applied'),
];

/** The network of nodes (nmstate.io/kubernetes-nmstate). */
const nmstate: HealthRules = {
  'nmstate.io/NodeNetworkConfigurationPolicy': nmstateRule,
  'nmstate.io/NodeNetworkConfigurationEnactment': nmstateRule,
};

/** Each router that takes up a route says so by itself. */
const admitted: HealthLine = ({ status }) => {
  const routers = listAt(status, 'ingress').slice(0, MAX_ROUTERS);
  const words = routers.map((router) => conditionsIn(at(router, 'conditions')).find(({ type }) => type === 'Admitted')?.status);
  if (words.includes('False')) return { status: 'Degraded', message: 'Route is degraded' };
  const isAdmitted = words.length > 0 && words.every((word) => word === 'True');
  return isAdmitted ? { status: 'Healthy', message: 'Route is healthy' } : undefined;
};

const MAX_ROUTERS = 50;

/** Traffic into OpenShift (docs.openshift.com, "Ingress and load balancing"). */
const openshift: HealthRules = {
  'route.openshift.io/Route': [admitted, progressing(otherwise, 'Route is still getting admitted')],
  'operator.openshift.io/IngressController': [
    degraded(condition('Degraded')),
    progressing(condition('DeploymentReplicasAllAvailable', 'False')),
    healthy(condition('Available'), 'IngressController is available'),
    degraded(condition('Available', 'False')),
    progressing(otherwise, 'Status of IngressController is not known yet'),
  ],
};

const THREE_SCALE_RULE: HealthRule = [
  suspended(field('status.state', 'suspended'), '3scale {kind} is suspended'),
  degraded(condition(['Failed', 'Invalid', 'Orphan'])),
  healthy(condition('Synced'), '3scale {kind} is synced'),
  healthy(condition('Ready'), '3scale {kind} is ready'),
  progressing(condition('In-progress')),
  degraded(condition('Ready', 'False')),
  progressing(otherwise, 'Waiting for 3scale {kind} status...'),
];

/** 3scale (github.com/3scale/3scale-operator): products, backends and what belongs to them in the API manager. */
const threeScale: HealthRules = {
  'capabilities.3scale.net/Backend': [
    degraded(condition('Failed'), '{|3scale Backend synchronization failed}'),
    degraded(condition('Invalid'), '{|3scale Backend configuration is invalid}'),
    ...THREE_SCALE_RULE,
  ],
  'capabilities.3scale.net/*': THREE_SCALE_RULE,
};

export const networking: readonly HealthRules[] = [
  airlock,
  awsLoadBalancerController,
  contour,
  gloo,
  istio,
  istioOperator,
  nmstate,
  openshift,
  threeScale,
];
