import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { compareRelease, type Comparison, differencesSentence, type DriftedObject, HELM_MANAGER } from '../helm-release/compare-release.ts';
import type { OwnRelease } from '../helm-release/observe-release.ts';
import type { Work } from './work.ts';
import type { ReconcileResult } from '../../controller/controller.ts';
import { withReleaseLease } from './acts/with-release-lease.ts';

const BUSY_MS = 2_000;

export interface DriftFact extends Comparison {
  /** The same fields were put right less than two intervals ago, and somebody has changed them again. */
  readonly contended: boolean;
}

/** What was seen of each Operator's objects, by its uid, so that one in sync costs nothing between two looks. */
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

async function compare({ ports, release, spec, signal }: Work, manifest: readonly KubeObject[]): Promise<Comparison> {
  const { cluster, discovery } = ports;
  return await compareRelease({ cluster, discovery, release, ignore: spec.driftDetection.ignore, signal }, manifest);
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
