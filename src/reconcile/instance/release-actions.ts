import type { ReconcileResult } from '../../controller/controller.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { ReleaseScope } from '../../domain/app-instance/release-scope.ts';
import type { RenderableChart, RenderChartInput, RenderedChart } from '../../domain/chart/rendered-chart.ts';
import { refersToItself } from '../../domain/chart/schema-references.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { isRejectedAsInvalid, recreateAdvice } from '../../domain/kubernetes/value-dumps.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { checkChartValues } from '../../schema/values/check-values.ts';
import { auditRelease, testChange } from './audit-release.ts';
import { isFalse, notReady, reconciling } from '../conditions.ts';
import { isUnavailable, withoutSecrets } from '../helm-release/failure.ts';
import { observeRelease, type OwnRelease, type ReleaseFact } from '../helm-release/observe-release.ts';
import { withLeaseOf } from '../helm-release/release-lease.ts';
import { CONFIG_DIGEST_LABEL } from '../helm-release/retry.ts';
import type { ScopedChange } from './ports.ts';
import { attemptOf, type Finding, HISTORY_LIMIT, isInstalled, reportFailure, writeStatus } from './report.ts';
import type { Target } from './resolve-target.ts';
import type { ActiveFacts } from './state.ts';
import { type CheckedRecords, checkRecords, keepDigest, mayRunHooks, type RecordDigest, scopeOf } from './release-records.ts';
import { annotateCommand, leasedBy, nowOf, type Work } from './work.ts';
import { FORCE_AT } from '../../domain/operator/operator-spec.ts';
import type { TestReport } from '../../domain/operator/release.ts';
import { tested, testing, withoutSecretsIn } from '../helm-release/test-report.ts';

export const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to look at what was released: until then, the controllers of the cluster say how most of it is. */
export const SETTLE_MS = 500;
/** How soon to ask again for a lease that somebody else holds. */
export const BUSY_MS = 2_000;

/**
 * Makes the next revision of the release, or the first: checks what the release would consist of, writes down what is about to be done, and has helm do it as the
 * deployer. Runs under the lease of the release; each step may be the last one of this process.
 */
export async function deploy(work: Work, { release }: ActiveFacts, target: Target): Promise<ReconcileResult> {
  const verb = release.kind === 'Absent' ? 'install' : 'upgrade';
  let current = work;
  let phase: Phase = 'Render';
  const change = async (signal: AbortSignal): Promise<void> => {
    const held = { ...work, signal };
    const { digests: checked, deployed: before } = verb === 'install' ? NO_RECORDS : await checkRecords(held);
    const scope = await scopeOf(held, target);
    const chart = await readChart(held, target);
    const validation = refersToItself(chart.contents) ? ({ validation: 'Helm' } as const) : undefined;
    if (!isCheckedByHelm(work, target, chart)) await checkObjects(held, { target, chart, verb, scope });
    else if (validation === undefined) await checkValues(target, chart);
    current = await announce(work, { release, target, verb, checked });
    phase = 'Release';
    await auditRelease(held, { verb, before, hooks: 'Run' }, async (known) => {
      try {
        await applyChange(held, { ...changeOf(held, target), scope, ...validation }, verb);
      } finally {
        const kept = await keepDigest(held, current, { checked, hooks: 'Run' });
        current = kept.work;
        known({ after: kept.after });
      }
    });
  };
  try {
    if ((await withLeaseOf(leasedBy(work), change)) === 'Busy') return { requeueAfter: BUSY_MS };
  } catch (error) {
    work.signal.throwIfAborted();
    // A cluster that is away says nothing about the instance, and a changed record is for users to decide.
    if (!(error instanceof AppError) || isUnavailable(error) || isAppError(error, 'ReleaseRecordChanged')) throw error;
    return { requeueAfter: await reportDeployment(work, { current, release, phase, target, verb, error }) };
  }
  const { name, version } = target.chart.contents.metadata;
  work.ports.log.info('An instance was released', { kind: work.kind.kind, ...work.release, verb, chart: name, version });
  return { requeueAfter: SETTLE_MS };
}

const NO_RECORDS: CheckedRecords = { digests: [] };

async function applyChange({ deployer: { helm }, signal }: Work, request: ScopedChange, verb: Verb): Promise<void> {
  if (verb === 'install') await helm.install(request, signal);
  else await helm.upgrade({ ...request, conflicts: 'force', historyLimit: HISTORY_LIMIT }, signal);
}

/** What failed: before anything was to be written, or helm. */
type Phase = 'Render' | 'Release';
type Verb = 'install' | 'upgrade';

async function readChart({ ports }: Work, { chart }: Target): Promise<RenderableChart> {
  const contents = await ports.charts.contents(chart.digest);
  if (contents !== undefined) return { ...chart, contents };
  throw new AppError('ChartUnreachable', 'chart: its file is missing in the chart cache; Chandlery fetches it again');
}

/** Files that helm is told to leave out, so that no post-renderer sees them; a packed subchart may have them, too. */
const CRD_FILES = /(?:^|\/)crds\/|^charts\/.*\.tgz$/;

/**
 * Whether one run of helm does everything: its post-renderer sees each object before helm writes anything. What has failed is looked at more closely, and so is a chart
 * that may write elsewhere or bring CRDs.
 */
function isCheckedByHelm({ status }: Work, { allowed }: Target, { contents: { files } }: RenderableChart): boolean {
  return status.failures === 0 && allowed.length === 0 && files?.some((name) => CRD_FILES.test(name)) === false;
}

/** For a chart whose schemas Helm does not validate. */
async function checkValues({ values: { values } }: Target, chart: RenderableChart): Promise<void> {
  const { faults } = await checkChartValues(chart, values);
  if (faults.length > 0) throw new AppError('ValuesInvalid', faults.join('; '));
}

interface CheckedObjects {
  readonly target: Target;
  readonly chart: RenderableChart;
  readonly verb: Verb;
  readonly scope: ReleaseScope;
}

/** Renders the chart as every preview does, without the cluster. What templates look up is seen by the post-renderer alone. */
async function checkObjects(work: Work, { target, chart, verb, scope }: CheckedObjects): Promise<void> {
  const rendered = await renderTarget(work, target, { chart, action: verb, scope });
  const [first] = rendered.faults;
  if (first === undefined) return;
  const messages = rendered.faults.filter(({ code }) => code === first.code).map(({ message }) => message);
  throw new AppError(first.code, messages.join('; '));
}

async function renderTarget(
  { ports, release, label, signal }: Work,
  { nodeSelector, values: { values, secrets } }: Target,
  input: Pick<RenderChartInput, 'chart' | 'action' | 'scope'>,
): Promise<RenderedChart> {
  const how = { legacyAPIs: 'Uplift', label, invalidValues: 'Stop' } as const;
  return await ports.renderChart({ ...input, values, secrets, nodeSelector, ...release, ...how }, signal);
}

function changeOf(
  { release, label }: Work,
  { chart, values: { values, secrets }, configDigest, nodeSelector }: Target,
): Omit<ScopedChange, 'scope'> {
  const labels = { [OURS.appInstanceLabel]: label, [CONFIG_DIGEST_LABEL]: configDigest };
  return { ...release, chartPath: chart.path, values, secrets, labels, nodeSelector, postRender: 'uplift' };
}

/** The hooks that the chart of a release renders. */
export async function hooksOfChart(work: Work, target: Target): Promise<readonly KubeObject[]> {
  const { objects } = await renderTarget(work, target, { chart: await readChart(work, target), action: 'upgrade' });
  return objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined);
}

interface Announcement extends Pick<ActiveFacts, 'release'> {
  readonly target: Target;
  readonly verb: Verb;
  /** The records that were checked. */
  readonly checked: readonly RecordDigest[];
}

/** The status before the release is changed: the number of the revision to come tells it from those that somebody else makes. */
async function announce(work: Work, { release, target, verb, checked }: Announcement): Promise<Work> {
  const { name, version } = target.chart.contents.metadata;
  const what = `release ${work.release.namespace}/${work.release.release} with chart ${name} ${version}`;
  const doing = verb === 'install' ? 'Installing' : 'Upgrading';
  const condition = isFalse('Released', doing, `${doing} ${what}`);
  return await writeStatus(work, {
    ready: notReady(condition),
    phase: reconciling(condition),
    request: 'Underway',
    conditions: [condition],
    release,
    target,
    managedRevision: release.kind === 'Absent' ? 1 : release.revision + 1,
    attempt: attemptOf(work, target),
    recordDigests: checked,
    rollback: 'Forgotten',
  });
}

interface FailedDeployment extends Pick<ActiveFacts, 'release'> {
  /** With the status that was announced. */
  readonly current: Work;
  readonly phase: Phase;
  readonly target: Target;
  readonly verb: Verb;
  readonly error: AppError;
}

async function reportDeployment(work: Work, { current, target, verb, ...failed }: FailedDeployment): Promise<number> {
  const { label, signal } = work;
  const release = await observeRelease(work.ports.cluster, work.release, { label, key: OURS.appInstanceLabel, signal });
  const isMade = revisionOf(release) > revisionOf(failed.release);
  const { phase, error } = isMade ? failed : await classify(work, { target, verb, ...failed });
  const clean = withoutSecrets(error, target.values.secrets);
  const reason = phase === 'Render' && clean.code === 'HelmFailed' ? 'RenderFailed' : clean.code;
  // A failed upgrade may have a revision to go back to, which is looked for at once.
  const isRejected = isRejectedAsInvalid(clean.message) && !(isMade && verb === 'upgrade');
  const terminal = isRejected || (phase === 'Render' && isAppError(clean, 'HelmFailed', 'ValuesInvalid'));
  const advice = recreateAdvice(clean.message, work.release.namespace);
  const condition = isFalse('Released', reason, advice === undefined ? clean.message : `${clean.message}. ${advice}`);
  // What was announced has not come about.
  const reported = isMade ? current : { ...current, status: work.status };
  return await reportFailure(reported, { error: clean, condition, release, target, ...(terminal ? { outlook: 'Terminal' } : {}) });
}

function revisionOf(release: ReleaseFact): number {
  return release.kind === 'Absent' ? 0 : release.revision;
}

type Classified = Pick<FailedDeployment, 'phase' | 'error'>;

/** Finds out what the matter is with a release of which helm has made nothing: an error of the chart ends the same way each time, one of the cluster may not. */
async function classify(
  work: Work,
  { target, verb, phase, error }: Classified & Pick<FailedDeployment, 'target' | 'verb'>,
): Promise<Classified> {
  if (phase === 'Render') return { phase, error };
  try {
    const chart = await readChart(work, target);
    // What was found in order before helm was started is so now.
    if (!isCheckedByHelm(work, target, chart)) return { phase, error };
    await checkObjects(work, { target, chart, verb, scope: await scopeOf(work, target) });
    return { phase, error };
  } catch (fault) {
    work.signal.throwIfAborted();
    if (!(fault instanceof AppError) || isUnavailable(fault)) throw fault;
    return { phase: 'Render', error: fault };
  }
}

interface Untested {
  readonly target: Target;
  readonly release: OwnRelease;
}

/**
 * Runs the tests of the chart as the deployer, because somebody has asked, and writes down how they ended. A process that dies meanwhile leaves the request as it
 * was, so they run again; tests that cannot run have failed, and wait for another request.
 */
export async function testRelease(work: Work, { target, release }: Untested): Promise<ReconcileResult> {
  const { secrets } = target.values;
  const doing = testing(release);
  let report: TestReport | undefined;
  let current = work;
  const change = async (signal: AbortSignal): Promise<void> => {
    const held = { ...work, signal };
    const { digests, newest } = await checkRecords(held);
    const underWay = { ready: isInstalled(target), phase: reconciling(doing), request: 'Underway', conditions: [doing], release } as const;
    current = await writeStatus(work, underWay);
    if (!mayRunHooks(digests, release.revision)) {
      report = untrusted(work, release);
      return;
    }
    await auditRelease(held, { verb: 'test', before: newest, hooks: 'Run', change: testChange(work) }, async (known) => {
      report = await runTests(held, secrets);
      if (report.kind === 'Failed') known({ outcome: 'failed' });
    });
  };
  if ((await withLeaseOf(leasedBy(work), change)) === 'Busy') return { requeueAfter: BUSY_MS };
  if (report === undefined) throw new Error('tests ended without a report');
  await writeStatus(current, outcomeOf(work, { target, release, report: withoutSecretsIn(report, secrets) }));
  work.ports.log.info('The tests of an instance have run', { kind: work.kind.kind, ...work.release, outcome: report.kind });
  return AT_ONCE;
}

/** The hooks of a revision that Chandlery did not make do not run. */
function untrusted(work: Work, { revision }: OwnRelease): TestReport {
  const force = annotateCommand(work, `${FORCE_AT}="$(date)"`);
  const message = `the hooks of revision ${revision} do not run, because its hooks are not known to be those of the chart; release the spec again: ${force}`;
  return { kind: 'Failed', failed: [], message };
}

async function runTests({ deployer, release, signal }: Work, secrets: readonly string[]): Promise<TestReport> {
  try {
    return await deployer.helm.test({ ...release, secrets }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || isUnavailable(error)) throw error;
    return { kind: 'Failed', failed: [], message: withoutSecrets(error, secrets).message };
  }
}

function outcomeOf(work: Work, { target, release, report }: Untested & { readonly report: TestReport }): Finding {
  const passed = report.kind === 'Passed';
  const condition = tested(report);
  return {
    ready: isInstalled(target),
    conditions: [condition],
    release,
    results: { tested: passed },
    test: { requestedAt: work.testAt, revision: release.revision, passed, message: condition.message, time: nowOf(work) },
  };
}
