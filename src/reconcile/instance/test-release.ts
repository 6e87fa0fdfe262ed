import type { ReconcileResult } from '../../controller/controller.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { TestReport } from '../../domain/operator/release.ts';
import { reconciling } from '../conditions.ts';
import { isUnavailable, withoutSecrets } from '../helm-release/failure.ts';
import type { OwnRelease } from '../helm-release/observe-release.ts';
import { withLeaseOf } from '../helm-release/release-lease.ts';
import { tested, testing, withoutSecretsIn } from '../helm-release/test-report.ts';
import { AT_ONCE, BUSY_MS } from './deploy.ts';
import { type Finding, isInstalled, writeStatus } from './report.ts';
import type { Target } from './resolve-target.ts';
import { leasedBy, nowOf, type Work } from './work.ts';

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
    const underWay = { ready: isInstalled(target), phase: reconciling(doing), request: 'Underway', conditions: [doing], release } as const;
    current = await writeStatus(work, underWay);
    report = await runTests({ ...work, signal }, secrets);
  };
  if ((await withLeaseOf(leasedBy(work), change)) === 'Busy') return { requeueAfter: BUSY_MS };
  if (report === undefined) throw new Error('tests ended without a report');
  await writeStatus(current, outcomeOf(work, { target, release, report: withoutSecretsIn(report, secrets) }));
  work.ports.log.info('The tests of an instance have run', { kind: work.kind.kind, ...work.release, outcome: report.kind });
  return AT_ONCE;
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
