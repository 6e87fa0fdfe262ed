import type { ReconcileResult } from '../../../controller/controller.ts';
import { AppError } from '../../../domain/core/errors.ts';
import type { TestReport } from '../../../domain/operator/release.ts';
import { crdsEstablished, fetched, healthy } from '../report/conditions.ts';
import { isFalse, notReady, reconciling, released } from '../../conditions.ts';
import { isUnavailable, withoutSecrets } from '../../helm-release/failure.ts';
import { tested, testing, withoutSecretsIn } from '../../helm-release/test-report.ts';
import { withReleaseLease } from './with-release-lease.ts';
import type { OwnRelease } from '../../helm-release/observe-release.ts';
import { attemptOf, reportFailure } from '../report/report-failure.ts';
import type { ActiveFacts, Target } from '../state.ts';
import type { Finding } from '../report/compose-status.ts';
import { writeStatus } from '../report/write-status.ts';
import type { Work } from '../work.ts';

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
const BUSY_MS = 2_000;

interface Untested {
  readonly target: Target;
  readonly release: OwnRelease;
}

/** Runs the tests that the chart brings, and writes down how they ended. A process that dies meanwhile leaves them untold, so they run again. */
export async function testRelease(work: Work, facts: ActiveFacts, { target, release }: Untested): Promise<ReconcileResult> {
  const { secrets } = target.values;
  const finding = findingOf(work, facts, { target, release });
  const announced = { ...finding, conditions: [...finding.conditions, testing(release)] };
  let current = work;
  let report: TestReport | undefined;
  const change = async (signal: AbortSignal): Promise<void> => {
    current = await writeStatus(work, announced);
    report = await work.ports.helm.test({ ...work.release, timeoutMs: work.spec.test.timeout, secrets }, signal);
  };
  try {
    if ((await withReleaseLease(work, change)) === 'Busy') return { requeueAfter: BUSY_MS };
  } catch (error) {
    work.signal.throwIfAborted();
    if (!(error instanceof AppError) || isUnavailable(error)) throw error;
    const { message } = withoutSecrets(error, secrets);
    return { requeueAfter: await reportFailure(current, { error, condition: isFalse('Tested', error.code, message), ...finding }) };
  }
  if (report === undefined) throw new Error('tests ended without a report');
  const outcome = tested(withoutSecretsIn(report, secrets));
  const results = { tested: report.kind === 'Passed' };
  await writeStatus(current, { ...finding, conditions: [...finding.conditions, outcome], results, failures: 0 });
  work.ports.log.info('The tests of an Operator have run', { operator: work.label, revision: release.revision, outcome: report.kind });
  return AT_ONCE;
}

/** What is known of the Operator while its tests run, but for how they go. */
function findingOf(
  work: Work,
  { crds, health }: ActiveFacts,
  { target, release }: Untested,
): Finding & { readonly chart: Target['chart'] } {
  const doing = testing(release);
  return {
    legacyStatus: 'INSTALLING',
    ready: notReady(doing),
    phase: reconciling(doing),
    request: 'Underway',
    conditions: [
      fetched(work.spec.chart, target.chart),
      released(work.release, release.revision),
      crdsEstablished(crds),
      ...(health === undefined ? [] : [healthy(health)]),
    ],
    release,
    crds,
    chart: target.chart,
    configDigest: target.configDigest,
    attempt: attemptOf(work, target),
  };
}
