import { nameWords } from '../../domain/core/name-words.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { fieldTypes } from './kubernetes-types.ts';

/** What charts hand on to Kubernetes under the name that it has there, or under a usual one. The parent's name may stand before it. */
const TYPES_BY_NAME = `
text{} labels annotations nodeselector matchlabels headers attributes parameters selectors env envs envvars environmentvars environment args labelselectors mountoptions
EnvVar[] env envs envvars environmentvars environment
EnvFromSource[] envfrom envvarsfrom
AnySecurityContext securitycontext
PodSecurityContext podsecuritycontext securitycontextpod
SecurityContext containersecuritycontext securitycontextcontainer
ResourceRequirements resources
amount{} resourceslimits resourcelimits resourcesrequests resourcerequests guarantees
Affinity affinity
NodeAffinity nodeaffinity
PodAffinity podaffinity podantiaffinity
NodeSelectorTerm[] nodeaffinityrequired
PreferredSchedulingTerm[] nodeaffinitypreferred
PodAffinityTerm[] podaffinityrequired podantiaffinityrequired
WeightedPodAffinityTerm[] podaffinitypreferred podantiaffinitypreferred
Toleration[] tolerations
TopologySpreadConstraint[] topologyspread spreadconstraints
LocalObjectReference[] pullsecrets imagepullsecrets
Container[] containers sidecars
Volume[] volumes
VolumeMount[] volumemounts
Probe livenessprobe readinessprobe startupprobe probe
Lifecycle lifecycle lifecyclehooks
LifecycleHandler poststart prestop
AnyUpdateStrategy strategy updatestrategy
PodSettings podspec podconfig
LabelSelector selector labelselector namespaceselector objectselector podselector
text{} serviceselector
MonitorNamespaces servicemonitornamespaceselector podmonitornamespaceselector
TypedLocalObjectReference datasource
MetricSpec[] autoscalingmetrics hpametrics autoscalingtemplate
HorizontalPodAutoscalerBehavior autoscalingbehavior hpabehavior behavior
PodDisruptionBudgetSpec poddisruptionbudget pdb
EmptyDirVolumeSource emptydir
ServicePort[] serviceextraports serviceports headlessextraports headlessports servicesextraports
ContainerPort[] extraports containerports
intstr[] ingressports egressports excludedports allowedports
IngressTLS[] tls ingresstls
HTTPIngressPath[] ingressextrapaths ingresspaths
text[] hostspaths ingresshosts
IngressRule[] ingressrules ingressextrarules
NetworkPolicyIngressRule[] networkpolicyingress networkpolicyextraingress networkpoliciesingress
NetworkPolicyEgressRule[] networkpolicyegress networkpolicyextraegress networkpoliciesegress
NetworkPolicyPeer[] networkpolicyfrom networkpolicyto networkpolicypeers
PolicyRule[] rbacrules rbacextrarules clusterrolerules rolerules
RelabelConfig[] relabelings relabelconfigs
MonitorTLS tlsconfig
MonitorEndpoint endpointproperties endpointadditionalproperties
MonitorEndpoint[] additionalendpoints
MonitorAuthorization servicemonitorauthorization podmonitorauthorization
AlertingRule[] prometheusrulerules prometheusrulesrules additionalrules alertrules alertingrules
HTTPRouteRule[] httprouterules httprouteadditionalrules
HTTPRouteFilter[] httproutefilters routefilters
HTTPRouteMatch[] httproutematches routematches
ParentReference[] parentrefs
amount{} maxallowed minallowed
VolumeMount[] extramounts
text[] controlledresources extraenvvarscms extraenvvarssecrets pullsecretnames altnames servernames
text[] command cmd cmds args arguments flags ranges cidrs ips hosts hostnames domains namespaces families modes verbs targetlabels nameservers queryparams requestheaders responseheaders ciphersuites rootcas sans dnsnames poststart prestop vpcs allowlist denylist whitelist blacklist libraries execcommand topologykeys
`;

/** Types whose fields say what a value of the same name is; of these only names that mean nothing else. */
const TYPES_WITH_FIELDS = [
  'PodSpec',
  'Container',
  'ServiceSpec',
  'PersistentVolumeClaimSpec',
  'DeploymentSpec',
  'StatefulSetSpec',
  'JobSpec',
  'CronJobSpec',
  'PodDisruptionBudgetSpec',
  'PodSecurityContext',
];
const TOO_GENERAL = new Set(
  'name type image selector rules ports template schedule resources suspend paused priority lifecycle hostname subdomain parallelism completions'.split(
    ' ',
  ),
);

/** What a chart's template writes beside its own objects, whatever that is: YAML is the best control for it. */
const OBJECTS = new Set([
  'extraobjects',
  'extradeploy',
  'extramanifests',
  'additionalobjects',
  'additionalmanifests',
  'extraresources',
  'rawresources',
  'manifests',
]);

/** Names of values that are texts, also those that look like numbers: `1.10`, `0123456`. */
const TEXTS = new Set(
  'registry repository tag digest name namespace user username password passphrase token email host hostname domain url uri path prefix suffix override storageclass classname existingsecret existingclaim serviceaccount region bucket protocol'.split(
    ' ',
  ),
);
/** Last words of the names of numbers, and of quantities of time. */
const NUMBERS = new Set('seconds minutes hours days millis milliseconds replicas percentage port count'.split(' '));

/** What a value without a default is by its name: a text, a number or one that a template writes. Undefined for other names. */
export function scalarByName(path: readonly string[]): JsonObject | undefined {
  const words = nameWords(path.at(-1) ?? '');
  if (NUMBERS.has(words.at(-1) ?? '')) return { type: ['number', 'string'] };
  return TEXTS.has(words.at(-1) ?? '') || TEXTS.has(words.slice(-2).join('')) ? { type: 'string' } : undefined;
}

/** What a value is known to be: an object, a list, or neither. */
export type Form = 'object' | 'list' | 'any';

const byName = parseNames();

/**
 * The type of Kubernetes that a value of a chart most likely has, from its name: the longest known end of its words and of those of its parent.
 *
 * @param path keys of the values, `*` for rows.
 * @returns a type as `kubernetesType` takes it.
 */
export function typeByName(path: readonly string[], form: Form): string | undefined {
  if (path.at(-1) === '*') return rowOf(typeByName(path.slice(0, -1), 'list') ?? typeByName(path.slice(0, -1), 'object'), form);
  const words = wordsOf(path);
  for (let first = 0; first < words.length; first += 1) {
    const types = byName.get(words.slice(first).join('')) ?? [];
    const type = types.find((one) => hasForm(one, form));
    if (type !== undefined) return type;
  }
  return undefined;
}

function rowOf(type: string | undefined, form: Form): string | undefined {
  const row = type === undefined || !/(\[\]|\{\})$/.test(type) ? undefined : type.slice(0, -2);
  return row !== undefined && hasForm(row, form) ? row : undefined;
}

/** Whether a value is a list of whole objects of Kubernetes. */
export function holdsObjects(path: readonly string[]): boolean {
  return OBJECTS.has(nameWords(path.findLast((step) => step !== '*') ?? '').join(''));
}

const LAST_WORDS = new Set(['tcp', 'udp', 'http', 'https', 'grpc']);

/** Those of the name and of the parent's; a protocol behind a name says nothing. */
function wordsOf(path: readonly string[]): readonly string[] {
  const words = path
    .filter((step) => step !== '*')
    .slice(-2)
    .flatMap(nameWords);
  return words.length > 1 && LAST_WORDS.has(words.at(-1) ?? '') ? words.slice(0, -1) : words;
}

function hasForm(type: string, form: Form): boolean {
  if (form === 'any') return true;
  const isList = type.endsWith('[]');
  return form === 'list' ? isList : !isList && !/^[a-z]+$/.test(type);
}

function parseNames(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const add = (name: string, type: string): void => {
    found.set(name, [...(found.get(name) ?? []), type]);
  };
  for (const line of TYPES_BY_NAME.trim().split('\n')) {
    const [type = '', ...names] = line.split(' ');
    for (const name of names) add(name, type);
  }
  for (const [name, type] of TYPES_WITH_FIELDS.flatMap((owner) => [...fieldTypes(owner)])) {
    if (!TOO_GENERAL.has(name)) add(name.toLowerCase(), type);
  }
  return found;
}
