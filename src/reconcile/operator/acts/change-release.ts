import type { ReconcileResult } from '../../../controller/controller.ts';
import type { ActiveFacts, RevisionFailure, Target } from '../state.ts';
import { nowOf, type Work } from '../work.ts';
import { CRD } from '../../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { ORIGIN_ANNOTATION } from '../../../domain/chart/extract-crds.ts';
import { type CrdFact, crdFactOf, observeCrds } from '../facts/observe-crds.ts';
import { type ForeignRelease, observeRelease } from '../../helm-release/observe-release.ts';
import { AppError, isAppError } from '../../../domain/core/errors.ts';
import { chartOfRevision } from '../../../domain/operator/revision-history.ts';
import { deploying, failedPhase, fetched, notReleased, rollingBack, UNTESTED, uplifted } from '../report/conditions.ts';
import { isFalse, notReady, reconciling } from '../../conditions.ts';
import { deploy, type DeployInput, type Deployment } from './deploy.ts';
import type { RenderedChart } from '../../../domain/chart/rendered-chart.ts';
import { attemptOf, reportFailure } from '../report/report-failure.ts';
import type { Finding } from '../report/compose-status.ts';
import { writeStatus } from '../report/write-status.ts';
import type { Rollback } from '../../../domain/operator/kind/status-fields.ts';
import { isUnavailable, withoutSecrets } from '../../helm-release/failure.ts';
import { decideRollback } from '../../helm-release/rollback.ts';
import { withReleaseLease } from './with-release-lease.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to ask again for a lease that somebody else holds. */
const BUSY_MS = 2_000;

/** Makes the first revision of the release. */
export async function install(work: Work, facts: ActiveFacts, target: Target): Promise<ReconcileResult> {
  return carryOut(work, facts, {
    verb: 'install',
    target,
    change: async ({ ports, signal }, request) => {
      await ports.helm.install(request, signal);
    },
  });
}

/** Makes the next revision of the release, also after one that failed. */
export async function upgrade(work: Work, facts: ActiveFacts, target: Target): Promise<ReconcileResult> {
  return carryOut(work, facts, {
    verb: 'upgrade',
    target,
    change: async ({ ports, spec, signal }, request) => {
      await ports.helm.upgrade({ ...request, historyLimit: spec.historyLimit }, signal);
    },
  });
}

/** Applies CRDs that are gone again; the release stays as it is. */
export async function restoreCrds(work: Work, facts: ActiveFacts, target: Target): Promise<ReconcileResult> {
  return carryOut(work, facts, { verb: 'restore', target, change: () => Promise.resolve() });
}

interface Adoption {
  readonly target: Target;
  readonly release: ForeignRelease;
}

/**
 * Takes over a release that nobody owns: an upgrade, which keeps its history and leaves our labels on the new record. CRDs that carry
 * Helm's annotations of the release become ours, and stay when the chart does not send them to Helm any more.
 */
export async function adopt(work: Work, facts: ActiveFacts, { target, release }: Adoption): Promise<ReconcileResult> {
  return carryOut(work, facts, {
    verb: 'adopt',
    target,
    change: async (held, request) => {
      const { ports, spec, signal } = held;
      await keepCrds(held);
      await ports.helm.upgrade({ ...request, historyLimit: spec.historyLimit }, signal);
      await recordAdoption(held, release, target);
    },
  });
}

/** Helm deletes what its next manifest does not hold, unless the live object says otherwise. */
async function keepCrds({ ports, release, label, signal }: Work): Promise<void> {
  const left = (await observeCrds(ports, release, { label, signal })).filter((crd) => !crd.labelled);
  const annotations = { [ORIGIN_ANNOTATION]: 'template', 'helm.sh/resource-policy': 'keep' };
  const body = { metadata: { labels: { [OURS.operatorLabel]: label }, annotations } };
  for (const { name } of left)
    await ports.cluster.patch({ ...CRD, name }, { type: 'merge', body }, { fieldManager: OURS.fieldManager, answer: 'metadata', signal });
}

async function recordAdoption(work: Work, { revision, status }: ForeignRelease, { chart }: Target): Promise<void> {
  const { ports, release, operator, signal } = work;
  const kinds = (await observeCrds(ports, release, { label: work.label, signal })).map(({ name }) => name);
  const { name, version } = chart.contents.metadata;
  const what = `Release ${release.namespace}/${release.release}, in revision ${revision} (${status}), was adopted with chart ${name} ${version}`;
  const message = `${what}; its kinds: ${kinds.length === 0 ? 'none' : kinds.join(', ')}`;
  await ports.events.record(operator, { type: 'Normal', reason: 'ReleaseAdopted', message });
  ports.log.info('A release was adopted', { operator: work.label, ...release, revision, kinds: kinds.length });
}

type Deploying = Omit<DeployInput, 'announce'>;

/** Deploys, and writes down what is about to be done and how it ended. */
async function carryOut(work: Work, facts: ActiveFacts, act: Deploying): Promise<ReconcileResult> {
  const { verb, target } = act;
  let current = work;
  let finding: Finding | undefined;
  const announce = async (rendered: RenderedChart): Promise<void> => {
    finding = announcement(work, facts, { act, rendered });
    current = await writeStatus(work, finding);
  };
  const deployment = await deploy(work, { ...act, announce });
  switch (deployment.kind) {
    case 'Busy':
      return { requeueAfter: BUSY_MS };
    case 'Failed':
      return { requeueAfter: await reportDeployment(current, act, deployment) };
    case 'Done': {
      const { name, version } = target.chart.contents.metadata;
      const keys = { operator: work.label, verb, chart: name, version, kinds: deployment.rendered.crds.length };
      work.ports.log.info('An Operator was deployed', keys);
      // What comes next does not wait for the failures before, and what was forced is not forced again.
      if (finding !== undefined && (current.status.failures > 0 || work.forcedAt !== ''))
        await writeStatus(current, { ...finding, failures: 0, attempt: attemptOf(work, { ...target, forced: 'CarriedOut' }) });
      return AT_ONCE;
    }
    default:
      return deployment satisfies never;
  }
}

/** The status before the cluster is changed: the CRDs that are about to come are in it, so that none is forgotten if this process ends. */
function announcement(work: Work, facts: ActiveFacts, { act, rendered }: { act: Deploying; rendered: RenderedChart }): Finding {
  const { chart } = act.target;
  const doing = deploying(act.verb, work.release);
  const untested = act.verb === 'restore' || !work.spec.test.enable ? [] : [UNTESTED];
  return {
    legacyStatus: 'INSTALLING',
    ready: notReady(doing),
    phase: reconciling(doing),
    request: 'Underway',
    conditions: [fetched(work.spec.chart, chart), uplifted(rendered), doing, ...untested],
    release: facts.release,
    crds: expectedCrds(facts.crds, rendered, work.label),
    chart,
    configDigest: act.target.configDigest,
    attempt: attemptOf(work, act.target),
    ...(act.verb === 'restore' ? {} : { rollback: 'Forgotten' as const }),
  };
}

function expectedCrds(live: readonly CrdFact[], { crds }: RenderedChart, label: string): readonly CrdFact[] {
  const known = new Set(live.map((crd) => crd.name));
  const coming = crds.filter((crd) => !known.has(crd.metadata.name)).map((crd) => crdFactOf(crd, label));
  return [...live, ...coming].sort((a, b) => a.name.localeCompare(b.name));
}

async function reportDeployment(work: Work, { target }: Deploying, failed: Extract<Deployment, { kind: 'Failed' }>): Promise<number> {
  const { chart, configDigest } = target;
  const { phase, error, rendered } = failed;
  const query = { label: work.label, signal: work.signal };
  const release = await observeRelease(work.ports.cluster, work.release, query);
  const untouched = phase === 'Uplift' || phase === 'CRDs' ? [notReleased(work.release, release)] : [];
  const running = phase !== 'Release' && release.kind === 'Own' ? chartOfRevision(work.status, release.revision) : undefined;
  return reportFailure(work, {
    error,
    condition: failedPhase(phase, error),
    conditions: [fetched(work.spec.chart, chart), ...(rendered === undefined ? [] : [uplifted(rendered)]), ...untouched],
    release,
    ...(running === undefined ? {} : { running }),
    crds: await observeCrds(work.ports, work.release, query),
    chart,
    configDigest,
    // What a chart renders depends on nothing but what the configuration digest covers.
    ...(rendered === undefined ? {} : { forced: 'CarriedOut' as const }),
    ...(phase === 'Render' && isAppError(error, 'HelmFailed', 'ValuesInvalid') ? { outlook: 'Terminal' as const } : {}),
  });
}

/**
 * Rolls back to the last healthy revision, once for a step: that it is about to is written down first, so that whoever comes after this process
 * neither forgets it nor does it again. CRDs stay as the failed revision has them.
 */
export async function rollBack(work: Work, facts: ActiveFacts, failure: RevisionFailure): Promise<ReconcileResult> {
  const rollback = decideRollback({ ...work, health: failure.health?.message, time: nowOf(work) }, failure);
  let current = work;
  const change = async (signal: AbortSignal): Promise<void> => {
    const finding = rollbackAnnouncement(work, facts, rollback);
    current = await writeStatus(work, finding);
    const { historyLimit } = work.spec;
    const { secrets } = failure.target.values;
    await work.ports.helm.rollback({ ...work.release, revision: rollback.toRevision, historyLimit, secrets }, signal);
  };
  try {
    if ((await withReleaseLease(work, change)) === 'Busy') return { requeueAfter: BUSY_MS };
  } catch (error) {
    work.signal.throwIfAborted();
    if (!(error instanceof AppError) || isUnavailable(error)) throw error;
    return { requeueAfter: await reportRollback(current, facts, withoutSecrets(error, failure.target.values.secrets)) };
  }
  const { revision, toRevision, cause } = rollback;
  work.ports.log.info('An Operator was rolled back', { operator: work.label, revision, toRevision, cause });
  return AT_ONCE;
}

function rollbackAnnouncement(work: Work, { release, crds }: ActiveFacts, rollback: Rollback): Finding {
  const doing = rollingBack(work.release, rollback);
  const failed = rollback.cause === 'UpgradeFailed' ? {} : { healthy: false };
  return {
    legacyStatus: 'INSTALLING',
    ready: notReady(doing),
    phase: reconciling(doing),
    request: 'Underway',
    conditions: [doing],
    release,
    crds,
    results: failed,
    rollback,
  };
}

async function reportRollback(work: Work, { crds }: ActiveFacts, error: AppError): Promise<number> {
  const release = await observeRelease(work.ports.cluster, work.release, { label: work.label, signal: work.signal });
  return reportFailure(work, { error, condition: isFalse('Released', 'RollbackFailed', error.message), release, crds });
}
