import { isAppError } from '../../domain/core/errors.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { HORIZONTAL_POD_AUTOSCALER } from '../../domain/kubernetes/resource-types.ts';
import { differencesOf, type Drift, isIgnored, isScaledBy, keepLive, managersOf } from '../../domain/operator/drift.ts';
import { apiVersionOf, type KubeObject, type ResourceType, type ServedKind } from '../../domain/kubernetes/resource.ts';
import type { OwnRelease } from './facts/observe-release.ts';
import type { Work } from './work.ts';
import type { ReconcileResult } from '../../controller/controller.ts';
import { withReleaseLease } from './acts/with-release-lease.ts';

const BUSY_MS = 2_000;

/** The field manager under which Helm applies. */
const HELM_MANAGER = 'helm';

/** An object of the release that is not as it should be. */
interface DriftedObject {
  readonly type: ResourceType;
  /** As the release has it, with the labels and annotations that Helm adds, and with the live values of fields that may differ. */
  readonly object: KubeObject;
  readonly drifts: readonly Drift[];
}

export interface DriftFact {
  readonly drifted: readonly DriftedObject[];
  /** The same fields were put right less than two intervals ago, and somebody has changed them again. */
  readonly contended: boolean;
  /** Objects that cannot be compared now, because a webhook does not answer: `Cache ns/a: the conversion webhook …`. */
  readonly uncompared: readonly string[];
}

/** What was seen of each Operator's objects, by its uid, so that a settled one costs nothing between two looks. */
export type DriftMemory = Map<string, DriftSight>;

interface DriftSight {
  readonly revision: number;
  readonly manifest: readonly KubeObject[];
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
  readonly requestedAt: string;
  readonly fact: DriftFact;
  /** The fields that were put right last. */
  readonly corrected: ReadonlySet<string>;
  /** Milliseconds since the epoch; 0 when nothing was. */
  readonly correctedAt: number;
}

const NOTHING_CORRECTED = { corrected: new Set<string>(), correctedAt: 0 };

/**
 * Compares the objects of a release with what is live, once an interval and when somebody asks: each is applied again by a dry run, so only fields that
 * the release has count. Helm is asked for the objects once a revision.
 */
export async function observeDrift(memory: DriftMemory, work: Work, release: OwnRelease): Promise<DriftFact> {
  const key = work.operator.metadata.uid ?? '';
  const known = memory.get(key);
  const now = work.ports.now().getTime();
  const isSame = known?.revision === release.revision;
  if (known !== undefined && isSame && known.requestedAt === work.requestedAt && now - known.seenAt < work.spec.interval) return known.fact;
  const manifest = known !== undefined && isSame ? known.manifest : await work.ports.helm.manifest(work.release, work.signal);
  const { drifted, uncompared } = await compare(work, manifest);
  const { corrected, correctedAt } = known !== undefined && isSame ? known : NOTHING_CORRECTED;
  const isRecent = now - correctedAt < 2 * work.spec.interval;
  const contended = drifted.length > 0 && isRecent && fieldsOf(drifted).every((field) => corrected.has(field));
  const fact = { drifted, contended, uncompared };
  memory.set(key, { revision: release.revision, manifest, seenAt: now, requestedAt: work.requestedAt, fact, corrected, correctedAt });
  return fact;
}

function fieldsOf(drifted: readonly DriftedObject[]): string[] {
  return drifted.flatMap(({ drifts }) => drifts.map(({ object, path }) => `${object} ${path}`));
}

async function compare(work: Work, manifest: readonly KubeObject[]): Promise<Pick<DriftFact, 'drifted' | 'uncompared'>> {
  const kinds = await work.ports.discovery.kinds(work.signal);
  const autoscalers = (await work.ports.cluster.list(HORIZONTAL_POD_AUTOSCALER, { signal: work.signal })).items;
  const [drifted, uncompared]: [DriftedObject[], string[]] = [[], []];
  for (const rendered of manifest) {
    const type = kinds.find((kind) => kind.kind === rendered.kind && apiVersionOf(kind) === rendered.apiVersion);
    if (type === undefined) continue;
    const object = marked(work, rendered, type);
    try {
      const found = await lookAt(work, { type, object, autoscalers });
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
function marked({ release }: Work, object: KubeObject, { namespaced }: ServedKind): KubeObject {
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
}

async function lookAt({ ports, spec, signal }: Work, { type, object, autoscalers }: Candidate): Promise<Omit<DriftedObject, 'type'>> {
  const { name, namespace } = object.metadata;
  const shown = shownName(object);
  const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
  const live = await ifFound(ports.cluster.get(ref, { signal }));
  if (live === undefined) return { object, drifts: [{ object: shown, path: '', managers: [] }] };
  const options = { fieldManager: HELM_MANAGER, force: 'force', fieldValidation: 'Ignore', dryRun: 'All', signal } as const;
  const { object: wanted } = await ports.cluster.apply(type, object, options);
  const isScaled = autoscalers.some((scaler) => scaler.metadata.namespace === namespace && isScaledBy(scaler, object));
  const mayDiffer = (path: string): boolean =>
    (isScaled && path === 'spec.replicas') || isIgnored(path, object, spec.driftDetection.ignore);
  const [kept, differing] = partition(differencesOf(live, wanted), mayDiffer);
  const drifts = differing.map((path) => ({ object: shown, path, managers: managersOf(live, path, HELM_MANAGER) }));
  return { object: keepLive(object, live, kept), drifts };
}

function partition(paths: readonly string[], test: (path: string) => boolean): [readonly string[], readonly string[]] {
  return [paths.filter(test), paths.filter((path) => !test(path))];
}

/** Applies the objects that drifted as the release has them, in Helm's own name, so that the fields stay Helm's. */
export async function correctDrift(memory: DriftMemory, work: Work, fact: DriftFact): Promise<ReconcileResult> {
  const outcome = await withReleaseLease(work, async (signal) => {
    for (const { type, object } of fact.drifted) {
      const options = { fieldManager: HELM_MANAGER, force: 'force', fieldValidation: 'Ignore', signal } as const;
      await work.ports.cluster.apply(type, object, options);
    }
  });
  if (outcome === 'Busy') return { requeueAfter: BUSY_MS };
  recordCorrection(memory, work, fact);
  const message = `Corrected: ${differencesSentence(fact)}`;
  await work.ports.events.record(work.operator, { type: 'Normal', reason: 'DriftCorrected', message });
  work.ports.log.info('Drift of an Operator was corrected', { operator: work.label, objects: fact.drifted.length });
  return { requeueAfter: 0 };
}

/** Remembers what was put right, and looks again at once. */
function recordCorrection(memory: DriftMemory, { operator, ports }: Work, { drifted }: DriftFact): void {
  const key = operator.metadata.uid ?? '';
  const known = memory.get(key);
  if (known !== undefined)
    memory.set(key, { ...known, seenAt: 0, corrected: new Set(fieldsOf(drifted)), correctedAt: ports.now().getTime() });
}

const NAMED = 10;

/** `Deployment ns/a spec.replicas (by kubectl-edit); …`: at most ten fields. */
export function differencesSentence({ drifted: objects }: DriftFact): string {
  const fields = objects.flatMap(({ drifts }) => drifts);
  const more = fields.length > NAMED ? `; and ${fields.length - NAMED} more` : '';
  const named = fields.slice(0, NAMED).map(({ object, path, managers }) => {
    return path === '' ? `${object} is missing` : `${object} ${path}${managers.length === 0 ? '' : ` (by ${managers.join(', ')})`}`;
  });
  return `${named.join('; ')}${more}`;
}
