import { isAppError } from '../../domain/core/errors.ts';
import { isRemovedWhenFinished } from '../../domain/health/removed-when-finished.ts';
import { type Cluster, type Discovery, ifFound } from '../../domain/kubernetes/cluster.ts';
import { HORIZONTAL_POD_AUTOSCALER } from '../../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject, type ResourceType, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { differencesOf, type Drift, isIgnored, isScaledBy, keepLive, managersOf } from '../../domain/operator/drift.ts';
import type { DriftRule } from '../../domain/operator/kind/upgrade-fields.ts';
import type { ReleaseRef } from './ports.ts';

/** The field manager under which Helm applies. */
export const HELM_MANAGER = 'helm';

/** An object of the release that is not as it should be. */
export interface DriftedObject {
  readonly type: ResourceType;
  /** As the release has it, with the labels and annotations that Helm adds, and with the live values of fields that may differ. */
  readonly object: KubeObject;
  readonly drifts: readonly Drift[];
}

export interface Comparison {
  readonly drifted: readonly DriftedObject[];
  /** Objects that cannot be compared now, because a webhook does not answer: `Cache ns/a: the conversion webhook …`. */
  readonly uncompared: readonly string[];
}

export interface ReleaseToCompare {
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'apply'>;
  readonly discovery: Pick<Discovery, 'kinds'>;
  readonly release: ReleaseRef;
  /** Fields that may differ. */
  readonly ignore: readonly DriftRule[];
  /** Where autoscalers are looked for; absent: everywhere. */
  readonly namespace?: string;
  /** The objects as they were read just now, in the order of the manifest; default: they are read again. */
  readonly live?: readonly (KubeObject | undefined)[];
  readonly signal: AbortSignal;
}

/** Compares the objects of a release with what is live: each is applied again by a dry run, so only fields that the release has count. */
export async function compareRelease(compared: ReleaseToCompare, manifest: readonly KubeObject[]): Promise<Comparison> {
  const { cluster, discovery, namespace, signal } = compared;
  const kinds = await discovery.kinds(signal);
  const autoscalers = (await cluster.list(HORIZONTAL_POD_AUTOSCALER, { signal, ...(namespace === undefined ? {} : { namespace }) })).items;
  const [drifted, uncompared]: [DriftedObject[], string[]] = [[], []];
  for (const [index, rendered] of manifest.entries()) {
    const type = kinds.find((kind) => kind.kind === rendered.kind && apiVersionOf(kind) === rendered.apiVersion);
    if (type === undefined) continue;
    const object = marked(compared.release, rendered, type);
    try {
      const found = await lookAt(compared, { type, object, autoscalers, seen: compared.live?.[index] });
      if (found.drifts.length > 0) drifted.push({ type, ...found });
    } catch (error) {
      if (!isAppError(error) || error.unanswered === undefined) throw error;
      uncompared.push(`${shownName(object)}: ${error.faults[0]?.message ?? error.message}`);
    }
  }
  return { drifted, uncompared };
}

function shownName({ kind, metadata: { name, namespace } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** With the namespace and the labels and annotations that Helm adds when it applies; without them they would count as taken away. */
function marked(release: ReleaseRef, object: KubeObject, { namespaced }: ServedKind): KubeObject {
  const { labels = {}, annotations = {}, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(namespaced ? { namespace: metadata.namespace ?? release.namespace } : {}),
      labels: { ...labels, 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { ...annotations, 'meta.helm.sh/release-name': release.release, 'meta.helm.sh/release-namespace': release.namespace },
    },
  };
}

interface Candidate {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly autoscalers: readonly KubeObject[];
  /** As it is live, where that is known. */
  readonly seen: KubeObject | undefined;
}

async function lookAt(
  { cluster, ignore, signal }: ReleaseToCompare,
  { type, object, autoscalers, seen }: Candidate,
): Promise<Omit<DriftedObject, 'type'>> {
  const { name, namespace } = object.metadata;
  const shown = shownName(object);
  const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
  const live = seen ?? (await ifFound(cluster.get(ref, { signal })));
  if (live === undefined && isRemovedWhenFinished(object)) return { object, drifts: [] };
  if (live === undefined) return { object, drifts: [{ object: shown, path: '', managers: [] }] };
  const options = { fieldManager: HELM_MANAGER, force: 'force', fieldValidation: 'Ignore', dryRun: 'All', signal } as const;
  const { object: wanted } = await cluster.apply(type, object, options);
  const isScaled = autoscalers.some((scaler) => scaler.metadata.namespace === namespace && isScaledBy(scaler, object));
  const mayDiffer = (path: string): boolean => (isScaled && path === 'spec.replicas') || isIgnored(path, object, ignore);
  const [kept, differing] = partition(differencesOf(live, wanted), mayDiffer);
  const drifts = differing.map((path) => ({ object: shown, path, managers: managersOf(live, path, HELM_MANAGER) }));
  return { object: keepLive(object, live, kept), drifts };
}

function partition(paths: readonly string[], test: (path: string) => boolean): [readonly string[], readonly string[]] {
  return [paths.filter(test), paths.filter((path) => !test(path))];
}

const NAMED = 10;

/** `Deployment ns/a spec.replicas (by kubectl-edit); …`: at most ten fields. */
export function differencesSentence({ drifted: objects }: Pick<Comparison, 'drifted'>): string {
  const fields = objects.flatMap(({ drifts }) => drifts);
  const more = fields.length > NAMED ? `; and ${fields.length - NAMED} more` : '';
  const named = fields.slice(0, NAMED).map(({ object, path, managers }) => {
    return path === '' ? `${object} is missing` : `${object} ${path}${managers.length === 0 ? '' : ` (by ${managers.join(', ')})`}`;
  });
  return `${named.join('; ')}${more}`;
}
