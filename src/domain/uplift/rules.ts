import type { KubeObject } from '../kubernetes/resource.ts';
import {
  compact,
  type Fields,
  fieldsOf,
  isFields,
  type Lifted,
  listOf,
  type Rule,
  rulesFor,
  type RuleTable,
  without,
  withSpec,
} from './conversion.ts';
import { crdRules, webhookRules } from './extension.ts';

const EXTENSIONS = 'extensions/v1beta1';
const APPS_BETA_1 = 'apps/v1beta1';

/** Deployment, StatefulSet, DaemonSet and ReplicaSet. Revision history and progress deadline take today's defaults. */
const workloadRules: RuleTable = {
  ...rulesFor([APPS_BETA_1, 'apps/v1beta2'], ['StatefulSet', 'Deployment', 'ControllerRevision'], liftWorkload),
  ...rulesFor(['apps/v1beta2'], ['DaemonSet', 'ReplicaSet'], liftWorkload),
  ...rulesFor([EXTENSIONS], ['Deployment', 'DaemonSet', 'ReplicaSet'], liftWorkload),
};

function liftWorkload(object: KubeObject): Lifted {
  if (object.kind === 'ControllerRevision') return { object: { ...object, apiVersion: 'apps/v1' }, notes: [] };
  const notes: string[] = [];
  const spec = fieldsOf(object.spec);
  const selector = isFields(spec['selector']) ? spec['selector'] : templateSelector(spec);
  if (selector === undefined) return { failed: 'it has no selector, and its pod template has no labels to derive one from' };
  if (selector !== spec['selector']) notes.push('the selector was derived from the labels of the pod template, as in the old API');
  const dropped = ['rollbackTo', 'templateGeneration'].filter((name) => name in spec);
  if (dropped.length > 0) notes.push(`${dropped.join(' and ')} was removed, because the API no longer has it`);
  const strategy = oldStrategy(object, spec);
  if (Object.keys(strategy).length > 0) notes.push('the old default for updates is written out');
  const current = { ...without(spec, 'rollbackTo', 'templateGeneration'), ...strategy, selector };
  return { object: withSpec(object, 'apps/v1', current), notes };
}

function templateSelector(spec: Fields): Fields | undefined {
  const labels = fieldsOf(fieldsOf(fieldsOf(spec['template'])['metadata'])['labels']);
  return Object.keys(labels).length === 0 ? undefined : { matchLabels: labels };
}

/** The update strategy where the old default differs from that of apps/v1 and the chart did not choose. */
function oldStrategy(object: KubeObject, spec: Fields): Fields {
  const { apiVersion, kind } = object;
  const onDelete = (kind === 'StatefulSet' && apiVersion === APPS_BETA_1) || (kind === 'DaemonSet' && apiVersion === EXTENSIONS);
  if (onDelete && fieldsOf(spec['updateStrategy'])['type'] === undefined) return { updateStrategy: { type: 'OnDelete' } };
  if (kind === 'Deployment' && apiVersion === EXTENSIONS && spec['strategy'] === undefined) {
    return { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } };
  }
  return {};
}

const autoscalingRules: RuleTable = rulesFor(['autoscaling/v2beta1'], ['HorizontalPodAutoscaler'], liftAutoscaler);

/** v2beta1 kept metric and target flat; v2 nests them. */
function liftAutoscaler(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const metrics = spec['metrics'] === undefined ? undefined : listOf(spec['metrics']).map(currentMetric);
  const unknown = metrics?.indexOf(undefined) ?? -1;
  if (unknown >= 0) return { failed: `metric ${unknown + 1} is of a type that is not known` };
  return { object: withSpec(object, 'autoscaling/v2', compact({ ...spec, metrics })), notes: ['metrics have the nested form of v2'] };
}

function currentMetric(metric: Fields): Fields | undefined {
  const { type } = metric;
  const resource = fieldsOf(metric['resource']);
  const container = fieldsOf(metric['containerResource']);
  const pods = fieldsOf(metric['pods']);
  const external = fieldsOf(metric['external']);
  switch (type) {
    case 'Resource':
      return { type, resource: { name: resource['name'], target: target(resource) } };
    case 'ContainerResource':
      return { type, containerResource: { name: container['name'], container: container['container'], target: target(container) } };
    case 'Pods':
      return { type, pods: { metric: named(pods, 'selector'), target: target(pods) } };
    case 'External':
      return { type, external: { metric: named(external, 'metricSelector'), target: target(external) } };
    case 'Object':
      return { type, object: currentObjectMetric(fieldsOf(metric['object'])) };
    default:
      return undefined;
  }
}

function currentObjectMetric(source: Fields): Fields {
  const { averageValue, targetValue } = source;
  const aim = averageValue === undefined ? { type: 'Value', value: targetValue } : { type: 'AverageValue', averageValue };
  return { describedObject: source['target'], metric: named(source, 'selector'), target: aim };
}

function named(source: Fields, selectorField: string): Fields {
  return compact({ name: source['metricName'], selector: source[selectorField] });
}

function target(source: Fields): Fields {
  const { targetAverageUtilization, targetAverageValue, targetValue } = source;
  if (targetAverageUtilization !== undefined) return { type: 'Utilization', averageUtilization: targetAverageUtilization };
  if (targetAverageValue !== undefined) return { type: 'AverageValue', averageValue: targetAverageValue };
  return { type: 'Value', value: targetValue };
}

const ingressRules: RuleTable = rulesFor(['extensions/v1beta1', 'networking.k8s.io/v1beta1'], ['Ingress'], liftIngress);

function liftIngress(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const current = compact({
    ...without(spec, 'backend', 'rules'),
    defaultBackend: isFields(spec['backend']) ? currentBackend(spec['backend']) : undefined,
    rules: spec['rules'] === undefined ? undefined : listOf(spec['rules']).map(currentRule),
  });
  return {
    object: withSpec(object, 'networking.k8s.io/v1', current),
    notes: ['backends name their service and port in the current form; a path without a type is ImplementationSpecific'],
  };
}

function currentRule(rule: Fields): Fields {
  if (!isFields(rule['http'])) return rule;
  const paths = listOf(rule['http']['paths']).map((path) => {
    const typed = { pathType: 'ImplementationSpecific', ...path };
    return isFields(path['backend']) ? { ...typed, backend: currentBackend(path['backend']) } : typed;
  });
  return { ...rule, http: { ...rule['http'], paths } };
}

function currentBackend(backend: Fields): Fields {
  const { serviceName, servicePort } = backend;
  if (serviceName === undefined) return backend;
  const port = servicePort === undefined ? undefined : currentPort(servicePort);
  return { ...without(backend, 'serviceName', 'servicePort'), service: compact({ name: serviceName, port }) };
}

/** A port name needs a letter, so text of digits alone can only have meant a number. */
function currentPort(port: unknown): Fields {
  const isNumber = typeof port === 'number' || (typeof port === 'string' && /^\d+$/.test(port));
  return isNumber ? { number: Number(port) } : { name: port };
}

const endpointSliceRules: RuleTable = rulesFor(['discovery.k8s.io/v1beta1'], ['EndpointSlice'], liftSlice);

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

/** Where an endpoint is had a free map; v1 has a member for the node and one for the zone, and keeps the rest for reading. */
function liftSlice(object: KubeObject): Lifted {
  const endpoints = listOf(object['endpoints']);
  const notes = endpoints.some((endpoint) => endpoint['topology'] !== undefined)
    ? ['the topology of endpoints has its current members']
    : [];
  return { object: { ...object, apiVersion: 'discovery.k8s.io/v1', endpoints: endpoints.map(currentEndpoint) }, notes };
}

function currentEndpoint(endpoint: Fields): Fields {
  if (endpoint['topology'] === undefined) return endpoint;
  const topology = fieldsOf(endpoint['topology']);
  const rest = without(topology, HOST, ZONE);
  return compact({
    ...without(endpoint, 'topology'),
    nodeName: endpoint['nodeName'] ?? topology[HOST],
    zone: topology[ZONE],
    deprecatedTopology: Object.keys(rest).length === 0 ? undefined : rest,
  });
}

const CURRENT = 'flowcontrol.apiserver.k8s.io/v1';
const LEGACY = ['v1alpha1', 'v1beta1', 'v1beta2', 'v1beta3'].map((version) => `flowcontrol.apiserver.k8s.io/${version}`);

const flowControlRules: RuleTable = {
  ...rulesFor(LEGACY, ['FlowSchema'], (object) => ({ object: { ...object, apiVersion: CURRENT }, notes: [] })),
  ...rulesFor(LEGACY, ['PriorityLevelConfiguration'], liftPriorityLevel),
};

const policyRules: RuleTable = {
  ...rulesFor(['policy/v1beta1'], ['PodDisruptionBudget'], liftBudget),
  ...rulesFor(['policy/v1beta1', 'extensions/v1beta1'], ['PodSecurityPolicy'], () => ({
    failed:
      'Kubernetes has no PodSecurityPolicy any more; disable it in the chart’s values, and label the namespace for Pod Security instead',
  })),
};

const certificateRules: RuleTable = rulesFor(['certificates.k8s.io/v1beta1'], ['CertificateSigningRequest'], liftRequest);

/** Families whose shape and defaults did not change between the legacy version and the current one. */
const renameRules: RuleTable = {
  ...rulesFor(['batch/v1beta1', 'batch/v2alpha1'], ['CronJob'], rename('batch/v1')),
  ...rulesFor(['scheduling.k8s.io/v1beta1', 'scheduling.k8s.io/v1alpha1'], ['PriorityClass'], rename('scheduling.k8s.io/v1')),
  ...rulesFor(
    ['storage.k8s.io/v1beta1'],
    ['StorageClass', 'VolumeAttachment', 'CSIDriver', 'CSINode', 'CSIStorageCapacity'],
    rename('storage.k8s.io/v1'),
  ),
  ...rulesFor(['extensions/v1beta1'], ['NetworkPolicy'], rename('networking.k8s.io/v1')),
  ...rulesFor(['networking.k8s.io/v1beta1'], ['IngressClass'], rename('networking.k8s.io/v1')),
  ...rulesFor(['coordination.k8s.io/v1beta1'], ['Lease'], rename('coordination.k8s.io/v1')),
  ...rulesFor(['apiregistration.k8s.io/v1beta1'], ['APIService'], rename('apiregistration.k8s.io/v1')),
  ...rulesFor(['node.k8s.io/v1beta1'], ['RuntimeClass'], rename('node.k8s.io/v1')),
  ...rulesFor(['node.k8s.io/v1alpha1'], ['RuntimeClass'], liftRuntimeClass),
  ...rulesFor(['events.k8s.io/v1beta1'], ['Event'], liftEvent),
  ...rulesFor(['autoscaling/v2beta2'], ['HorizontalPodAutoscaler'], rename('autoscaling/v2')),
  ...rulesFor(
    ['admissionregistration.k8s.io/v1beta1'],
    ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    rename('admissionregistration.k8s.io/v1'),
  ),
};

const RBAC_CURRENT = 'rbac.authorization.k8s.io/v1';

const RBAC_LEGACY = ['rbac.authorization.k8s.io/v1beta1', 'rbac.authorization.k8s.io/v1alpha1'];

const rbacRules: RuleTable = {
  ...rulesFor(RBAC_LEGACY, ['Role', 'ClusterRole'], (object) => ({ object: { ...object, apiVersion: RBAC_CURRENT }, notes: [] })),
  ...rulesFor(RBAC_LEGACY, ['RoleBinding', 'ClusterRoleBinding'], liftBinding),
};

/** How objects of legacy APIs are carried over, by `<apiVersion> <kind>`. */
export const RULES: RuleTable = {
  ...renameRules,
  ...autoscalingRules,
  ...certificateRules,
  ...crdRules,
  ...endpointSliceRules,
  ...flowControlRules,
  ...ingressRules,
  ...policyRules,
  ...rbacRules,
  ...webhookRules,
  ...workloadRules,
};

/** v1 asks who is to sign, and for what: both could be left open before. */
function liftRequest(object: KubeObject): Lifted {
  const { signerName, usages } = fieldsOf(object.spec);
  if (typeof signerName !== 'string' || signerName === 'kubernetes.io/legacy-unknown') {
    return { failed: 'it names no signer, and the old default signer no longer exists; name one in spec.signerName' };
  }
  if (!Array.isArray(usages) || usages.length === 0) return { failed: 'it has no usages; set spec.usages' };
  return { object: { ...object, apiVersion: 'certificates.k8s.io/v1' }, notes: [] };
}

/** An empty selector chose nothing in v1beta1 and chooses everything in v1, where an absent one chooses nothing. */
function liftBudget(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const selector = spec['selector'];
  const empty = isFields(selector) && Object.keys(selector).length === 0;
  if (!empty) return { object: { ...object, apiVersion: 'policy/v1' }, notes: [] };
  return {
    object: withSpec(object, 'policy/v1', without(spec, 'selector')),
    notes: ['the empty selector was removed, because it would now select every pod instead of none'],
  };
}

/** Shares were called assured, and zero of them meant the default of 30; v1 takes zero at its word. */
function liftPriorityLevel(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  if (!isFields(spec['limited'])) return { object: { ...object, apiVersion: CURRENT }, notes: [] };
  const limited = spec['limited'];
  const shares = limited['nominalConcurrencyShares'] ?? limited['assuredConcurrencyShares'];
  const nominal = shares === 0 ? undefined : shares;
  const current = compact({ ...without(limited, 'assuredConcurrencyShares'), nominalConcurrencyShares: nominal });
  const notes = [
    ...(limited['assuredConcurrencyShares'] === undefined ? [] : ['the shares have their current name']),
    ...(shares === 0 ? ['zero shares, which meant the default, were removed'] : []),
  ];
  return { object: withSpec(object, CURRENT, { ...spec, limited: current }), notes };
}

/** The first version kept the handler in a spec of its own. */
function liftRuntimeClass(object: KubeObject): Lifted {
  const { spec: old, ...rest } = object;
  const { runtimeHandler, ...others } = fieldsOf(old);
  if (typeof runtimeHandler !== 'string') return { failed: 'it names no handler' };
  return {
    object: { ...rest, apiVersion: 'node.k8s.io/v1', handler: runtimeHandler, ...others },
    notes: ['the handler has its current place'],
  };
}

const OF_AN_EVENT = ['eventTime', 'type', 'reason', 'action', 'reportingController', 'reportingInstance'];

/** v1 asks for what could be left out before. */
function liftEvent(object: KubeObject): Lifted {
  const missing = OF_AN_EVENT.filter((name) => object[name] === undefined);
  if (missing.length > 0) return { failed: `it has no ${missing.join(', ')}; the current API requires it` };
  return { object: { ...object, apiVersion: 'events.k8s.io/v1' }, notes: [] };
}

function rename(apiVersion: string): Rule {
  return (object) => ({ object: { ...object, apiVersion }, notes: [] });
}

/** v1alpha1 named the group of a subject by an `apiVersion`, and everybody by the user `*`, which v1 would take for a real name. */
function liftBinding(object: KubeObject): Lifted {
  const subjects = object['subjects'] === undefined ? undefined : listOf(object['subjects']);
  if (
    object.apiVersion.endsWith('/v1alpha1') &&
    subjects?.some((subject) => subject['kind'] === 'User' && subject['name'] === '*') === true
  ) {
    return { failed: 'it binds the user "*", which meant everybody; name the group system:authenticated instead' };
  }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', ...fieldsOf(object['roleRef']) };
  const binding = compact({ ...object, roleRef, subjects: subjects?.map(currentSubject) });
  return { object: { ...binding, apiVersion: RBAC_CURRENT, kind: object.kind, metadata: object.metadata }, notes: [] };
}

function currentSubject(subject: Fields): Fields {
  const { apiVersion } = subject;
  if (typeof apiVersion !== 'string') return subject;
  const apiGroup = subject['kind'] === 'ServiceAccount' ? undefined : 'rbac.authorization.k8s.io';
  return compact({ ...without(subject, 'apiVersion'), apiGroup });
}
