import { isDeepStrictEqual } from 'node:util';
import { type KeySource, mapSource } from '../../controller/controller.ts';
import { at, textAt } from '../../domain/core/read.ts';
import { renamedWith } from '../../domain/kubernetes/moved-from.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import {
  ADMISSION_POLICY,
  ADMISSION_POLICY_BINDING,
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  LIMIT_RANGE,
  NAMESPACE,
  NETWORK_POLICY,
  RESOURCE_QUOTA,
  ROLE,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
} from '../../domain/kubernetes/resource-types.ts';
import type { Kube } from '../../kube/kube.ts';
import type { GrantWatch } from './watch-grants.ts';
import { grantsOurRole, isOurs } from '../../reconcile/environment/foreign-grants.ts';
import { type Reflector, startMetadataReflector, startReflector } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';

interface WatchGeneratedInput {
  readonly kube: Pick<Kube, 'asController'>;
  readonly environments: Pick<Reflector, 'all' | 'onChange'>;
  /** All CustomResourceDefinitions. */
  readonly definitions: KeySource;
  readonly operators: KeySource;
  readonly appDefinitions: Pick<Reflector, 'get' | 'onChange'>;
  readonly grants: GrantWatch;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const IN_NAMESPACES: readonly ResourceType[] = [ROLE, SERVICE_ACCOUNT, LIMIT_RANGE, NETWORK_POLICY];
const VISIBILITY: readonly ResourceType[] = [CLUSTER_ROLE, CLUSTER_ROLE_BINDING];
const POLICIES: readonly ResourceType[] = [ADMISSION_POLICY, ADMISSION_POLICY_BINDING];
const POLICY_NAME = 'chandlery-environment-apps-';
const MESH_CRDS: readonly string[] = ['peerauthentications.security.istio.io', 'servers.policy.linkerd.io'];
const VISIBILITY_NAME = 'chandlery-environment-';

/** The names of Environments whose namespace, or an object that Chandlery made for them, was changed or deleted, or whose mesh came, so that all is put right at once. */
export function watchGenerated({
  kube,
  environments,
  definitions,
  operators,
  appDefinitions,
  grants: { namespaces, roleBindings },
  log,
  signal,
}: WatchGeneratedInput): KeySource[] {
  const cluster = kube.asController();
  const labelSelector = `app.kubernetes.io/managed-by=chandlery,${OURS.environmentLabel}`;
  const scope = { labelSelector, log, signal };
  const inNamespace = (namespace: string): string[] =>
    environments.all().flatMap((one) => (namespaceOf(one) === namespace ? [one.metadata.name] : []));
  const having = (field: string): string[] =>
    environments.all().flatMap(({ metadata, spec }) => (at(spec, field) === undefined ? [] : [metadata.name]));
  const ofObject = (key: string): string[] => inNamespace(key.split('/')[0] ?? '');
  const ofBinding = (key: string): string[] => {
    const [namespace = ''] = key.split('/');
    const binding = roleBindings.get(key);
    // Chandlery makes several in each dedicated namespace, and charts make some, too.
    const isForeign = binding === undefined || (grantsOurRole(binding) && !isOurs(binding));
    const environment = isForeign ? namespaces.get(namespace)?.metadata.labels?.[OURS.environmentLabel] : undefined;
    return [...new Set([...inNamespace(namespace), ...(environment === undefined ? [] : [environment])])];
  };
  const quotas = specChanges(startReflector({ cluster, type: RESOURCE_QUOTA, ...scope }));
  return [
    mapSource(namespaces, inNamespace),
    mapSource(environments, (name) => renamedWith(environments.all(), name)),
    mapSource(quotas, ofObject),
    // The catalogue has changed.
    ...[definitions, operators].map((source) => mapSource(source, () => having('allowedApps'))),
    mapSource(specChanges(appDefinitions), () => environments.all().map(({ metadata }) => metadata.name)),
    // A mesh has come or gone.
    mapSource(definitions, (name) => (MESH_CRDS.includes(name) ? having('mesh') : [])),
    ...IN_NAMESPACES.map((type) => mapSource(startMetadataReflector({ cluster, type, ...scope }), ofObject)),
    // Those of other clients are reported.
    mapSource(roleBindings, ofBinding),
    ...VISIBILITY.map((type) => mapSource(startMetadataReflector({ cluster, type, ...scope }), afterPrefix(VISIBILITY_NAME))),
    ...POLICIES.map((type) => mapSource(startMetadataReflector({ cluster, type, ...scope }), afterPrefix(POLICY_NAME))),
  ];
}

function afterPrefix(prefix: string): (name: string) => string[] {
  return (name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []);
}

/** The namespace that an Environment asks for. */
export function namespaceOf({ metadata, spec }: KubeObject): string {
  return textAt(spec, 'namespace') ?? metadata.name;
}

/** Only what is not a change of the status: that of a quota follows every pod. */
function specChanges(reflector: Pick<Reflector, 'get' | 'onChange'>): KeySource {
  const known = new Map<string, unknown>();
  return mapSource(reflector, (key) => {
    const object = reflector.get(key);
    const spec = object && { spec: object.spec, labels: object.metadata.labels };
    if (isDeepStrictEqual(known.get(key), spec)) return [];
    if (spec === undefined) known.delete(key);
    else known.set(key, spec);
    return [key];
  });
}

/** The names of dedicated namespaces that were changed or deleted, or in which an object that Chandlery made was. */
export function watchDedicated({ kube, log, signal }: Pick<WatchGeneratedInput, 'kube' | 'log' | 'signal'>): KeySource[] {
  const cluster = kube.asController();
  const scope = { labelSelector: `app.kubernetes.io/managed-by=chandlery,${OURS.instanceUidLabel}`, log, signal };
  const namespaceOfKey = (key: string): string[] => [key.split('/')[0] ?? ''];
  return [
    startMetadataReflector({ cluster, type: NAMESPACE, ...scope }),
    mapSource(specChanges(startReflector({ cluster, type: RESOURCE_QUOTA, ...scope })), namespaceOfKey),
    ...[...IN_NAMESPACES, ROLE_BINDING].map((type) => mapSource(startMetadataReflector({ cluster, type, ...scope }), namespaceOfKey)),
  ];
}
