import { DEPLOYER } from '../../domain/environment/deployer.ts';
import { LAST_ENVIRONMENT, LAST_ENVIRONMENT_UID, LAST_INSTALLATION } from '../../domain/environment/last-environment.ts';
import { MESH_ANNOTATIONS, MESH_LABELS, meshMetadata } from '../../domain/environment/mesh.ts';
import { NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { deleteWithIntent } from '../../domain/kubernetes/deletion-intent.ts';
import { labelsOf, namespaceLabels } from './environment-objects.ts';
import { ACCOUNTS_ANNOTATION, ENVIRONMENT_UID_ANNOTATION, type EnvironmentSpec, NAMESPACE_UID_ANNOTATION } from './environment-spec.ts';
import type { EnvironmentPorts } from './ports.ts';

type ClusterPart = Pick<EnvironmentPorts['cluster'], 'create' | 'apply' | 'patch' | 'delete'>;

/** Makes the namespace. It is created and not applied, so that of two Environments that ask for one name only one gets it. */
export async function createNamespace(
  cluster: Pick<ClusterPart, 'create'>,
  environment: KubeObject,
  { spec, signal }: { spec: EnvironmentSpec; signal: AbortSignal },
): Promise<void> {
  const reserved = spec.dedicatedTo === undefined ? { [ENVIRONMENT_UID_ANNOTATION]: environment.metadata.uid ?? '' } : {};
  const annotations = { ...reserved, ...accountsIn(spec) };
  const metadata = { name: spec.namespace, labels: namespaceLabels(environment, spec), annotations };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata };
  await cluster.create(NAMESPACE, namespace, { fieldManager: OURS.fieldManager, signal });
}

/** Gives the namespace the labels of the Environment and the uids that confirm them, if it is still the one that was read. Does nothing when it has all of them. */
export async function labelNamespace(
  cluster: Pick<ClusterPart, 'patch'>,
  environment: KubeObject,
  input: { namespace: KubeObject; spec: EnvironmentSpec; signal: AbortSignal },
): Promise<void> {
  const { labels = {}, annotations = {} } = input.namespace.metadata;
  const wanted = {
    labels: namespaceLabels(environment, input.spec),
    annotations: { ...(input.spec.dedicatedTo === undefined ? uidsOf(environment, input.namespace) : {}), ...accountsIn(input.spec) },
  };
  const outdated = LAST.filter((name) => name in annotations);
  if (hasAll(labels, wanted.labels) && hasAll(annotations, wanted.annotations) && outdated.length === 0) return;
  const dropped = Object.fromEntries(outdated.map((name) => [name, null]));
  await patchNamespace(cluster, input, { ...wanted, annotations: { ...wanted.annotations, ...dropped } });
}

const LAST: readonly string[] = [LAST_ENVIRONMENT, LAST_ENVIRONMENT_UID, LAST_INSTALLATION];

/** The annotation is what policies go by. */
function accountsIn({ accounts }: EnvironmentSpec): Record<string, string> {
  return { [ACCOUNTS_ANNOTATION]: [DEPLOYER, ...accounts.map(({ name }) => name)].join(',') };
}

/** The field manager of what makes the namespace part of a mesh, so that what another spec left goes, and what somebody else wrote stays. */
const MESH_MANAGER = `${OURS.fieldManager}-mesh`;

/** Gives the namespace the labels and annotations of the mesh that the Environment asks for, if it is still the one that was read. */
export async function markMesh(
  cluster: Pick<ClusterPart, 'apply'>,
  { namespace, spec, signal }: { namespace: KubeObject; spec: EnvironmentSpec; signal: AbortSignal },
): Promise<void> {
  const { name, uid, labels = {}, annotations = {} } = namespace.metadata;
  const marked = MESH_LABELS.some((label) => label in labels) || MESH_ANNOTATIONS.some((annotation) => annotation in annotations);
  if (spec.mesh === undefined && !marked) return;
  const metadata = { name, ...(uid === undefined ? {} : { uid }), ...meshMetadata(spec.mesh) };
  await cluster.apply(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata }, { fieldManager: MESH_MANAGER, force: 'force', signal });
}

function hasAll(live: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => live[name] === value);
}

function uidsOf(environment: KubeObject, namespace: KubeObject): Record<string, string> {
  return {
    [ENVIRONMENT_UID_ANNOTATION]: environment.metadata.uid ?? '',
    [NAMESPACE_UID_ANNOTATION]: namespace.metadata.uid ?? '',
  };
}

/**
 * Takes the Environment's labels and uids off a namespace, so that it belongs to nobody, and writes down whose it was. Those of Pod Security stay: what runs there is no
 * safer than before.
 *
 * @param installation as of `readInstallation`; without it, nothing is written down.
 */
export async function disownNamespace(
  cluster: Pick<ClusterPart, 'patch'>,
  environment: KubeObject,
  input: { namespace: KubeObject; installation: string | undefined; signal: AbortSignal },
): Promise<void> {
  const { name, uid = '' } = environment.metadata;
  const { installation } = input;
  const last =
    installation === undefined ? {} : { [LAST_ENVIRONMENT]: name, [LAST_ENVIRONMENT_UID]: uid, [LAST_INSTALLATION]: installation };
  await patchNamespace(cluster, input, {
    labels: removed(labelsOf(environment, {})),
    annotations: { ...removed({ ...uidsOf(environment, input.namespace), [ACCOUNTS_ANNOTATION]: '' }), ...last },
  });
}

/** Asks for the deletion of the namespace, if it is still the one that was read. */
export async function removeNamespace(
  cluster: Pick<ClusterPart, 'patch' | 'delete'>,
  input: { namespace: KubeObject; signal: AbortSignal },
): Promise<void> {
  await deleteWithIntent(cluster, { type: NAMESPACE, object: input.namespace, signal: input.signal });
}

function removed(values: Record<string, string>): Record<string, null> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, null]));
}

interface LabelsAndAnnotations {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

async function patchNamespace(
  cluster: Pick<ClusterPart, 'patch'>,
  { namespace, signal }: { namespace: KubeObject; signal: AbortSignal },
  metadata: LabelsAndAnnotations,
): Promise<void> {
  const { name, resourceVersion } = namespace.metadata;
  await cluster.patch(
    { ...NAMESPACE, name },
    { type: 'merge', body: { metadata: { resourceVersion, ...metadata } } },
    { fieldManager: OURS.fieldManager, signal },
  );
}
