import { DEPLOYER } from '../environment/deployer.ts';
import { at, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';

/** What the objects of a release may be. */
export interface ReleaseScope {
  /** The namespace of the release. */
  readonly namespace: string;
  /** The namespaced kinds that the cluster serves, as `group/Kind`. */
  readonly namespacedKinds: ReadonlySet<string>;
  /** The cluster-scoped ones. */
  readonly clusterKinds: ReadonlySet<string>;
  /** Kinds of cluster scope, or of other namespaces, that are allowed all the same. */
  readonly allowed: readonly { readonly group: string; readonly kind: string }[];
}

const HOOK = 'helm.sh/hook';
const RESERVED_ACCOUNT = /^chandlery-/;
const RESERVED_KINDS: ReadonlySet<string> = new Set(['ServiceAccount', 'Role', 'RoleBinding']);

/**
 * Why objects may not be in the release of an instance, a sentence each: cluster-scoped ones, those of other namespaces, lists, pods as an account that is reserved, and hooks
 * as an account that is not of the release. Hooks are among the objects. Empty when all of them may.
 */
export function outOfScope(objects: readonly KubeObject[], scope: ReleaseScope): string[] {
  const accounts = new Set(objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name));
  return objects.flatMap((object) => {
    const why = placeFault(object, scope) ?? accountFault(object, accounts);
    return why === undefined ? [] : [`${object.kind} "${object.metadata.name}": ${why}`];
  });
}

/** The scope of a release in a namespace, by the kinds that the cluster serves. */
export function releaseScope(
  namespace: string,
  allowed: ReleaseScope['allowed'],
  kinds: readonly { readonly group: string; readonly kind: string; readonly namespaced: boolean }[],
): ReleaseScope {
  const keysOf = (isNamespaced: boolean): ReadonlySet<string> =>
    new Set(kinds.filter(({ namespaced }) => namespaced === isNamespaced).map(kindKey));
  return { namespace, allowed, namespacedKinds: keysOf(true), clusterKinds: keysOf(false) };
}

/** The key of a kind in `ReleaseScope`. */
function kindKey({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind}`;
}

function placeFault(
  { apiVersion, kind, metadata, ...object }: KubeObject,
  { namespace, namespacedKinds, clusterKinds, allowed }: ReleaseScope,
): string | undefined {
  const { group } = parseApiVersion(apiVersion);
  if (kind === 'CustomResourceDefinition') return 'an instance cannot install a CRD; an Operator can';
  if (kind.endsWith('List') && !namespacedKinds.has(kindKey({ group, kind })))
    return 'the chart must render each object by itself, not a list';
  if (RESERVED_KINDS.has(kind) && RESERVED_ACCOUNT.test(metadata.name)) return 'names that begin with chandlery- are reserved';
  // Who binds the Role of a deployer before it exists would have its permissions once it does.
  const role = textAt(object, 'roleRef', 'kind') === 'Role' ? (textAt(object, 'roleRef', 'name') ?? '') : '';
  if (RESERVED_ACCOUNT.test(role)) return `it grants the Role ${role}, and names that begin with chandlery- are reserved`;
  if (allowed.some((one) => one.group === group && one.kind === kind)) return undefined;
  const allow = `add ${group === '' ? kind : `${kind} of ${group}`} to spec.allowedResources of the AppDefinition to allow it`;
  const key = kindKey({ group, kind });
  if (clusterKinds.has(key)) return `it is cluster-scoped; ${allow}`;
  if (!namespacedKinds.has(key))
    return `this cluster does not serve ${kind} of ${apiVersion}; install what serves it, or switch the object off in the values of the chart`;
  const foreign = metadata.namespace !== undefined && metadata.namespace !== namespace;
  return foreign ? `it is in namespace ${metadata.namespace}, not in ${namespace}; ${allow}` : undefined;
}

/** What a pod does, it does as its account. */
function accountFault(object: KubeObject, ofTheRelease: ReadonlySet<string>): string | undefined {
  const account = accountOf(object);
  if (account === undefined || account === 'default') return undefined;
  if (RESERVED_ACCOUNT.test(account))
    return `no pod can run as the service account ${account === DEPLOYER ? DEPLOYER : `"${account}"`}, which is reserved`;
  const isHook = object.metadata.annotations?.[HOOK] !== undefined;
  if (isHook && !ofTheRelease.has(account))
    return `a hook cannot run as the service account "${account}", which is not part of the release`;
  return undefined;
}

function accountOf(object: KubeObject): string | undefined {
  const spec = podSpecOf(object);
  // The deprecated field counts where the other one is empty.
  return [textAt(spec, 'serviceAccountName'), textAt(spec, 'serviceAccount')].find((name) => name !== undefined && name !== '');
}

function podSpecOf(object: KubeObject): unknown {
  const { spec } = object;
  if (object.kind === 'Pod') return spec;
  if (object.kind === 'PodTemplate') return at(object, 'template', 'spec');
  if (object.kind === 'ControllerRevision') return at(object, 'data', 'spec', 'template', 'spec');
  return object.kind === 'CronJob' ? at(spec, 'jobTemplate', 'spec', 'template', 'spec') : at(spec, 'template', 'spec');
}
