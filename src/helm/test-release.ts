import { isAppError, type AppError } from '../domain/core/errors.ts';
import type { TestReport } from '../domain/operator/release.ts';
import { CHANGE_TIMEOUT_MS, hookTimeout } from './change.ts';
import { parseTests, type ReleaseRef, type TestRun } from './release-output.ts';
import { type HelmRunner, runOnRelease } from './run.ts';

export interface TestInput extends ReleaseRef {
  /** Bound on all tests together. Default five minutes. */
  readonly timeoutMs?: number;
  /** Strings that must not show in an error. */
  readonly secrets?: readonly string[];
}

const READ_TIMEOUT_MS = 30_000;

/**
 * Runs the test hooks of the newest revision, those of an earlier run deleted first where the chart does not say otherwise.
 *
 * @throws AppError `HelmFailed` when no test has failed and Helm has all the same; `ClusterUnavailable`, `NotFound` as ever.
 */
export async function testRelease(runner: HelmRunner, input: TestInput, signal: AbortSignal): Promise<TestReport> {
  const { timeoutMs = CHANGE_TIMEOUT_MS, secrets = [] } = input;
  const began = Date.now();
  try {
    const options = ['--timeout', hookTimeout(timeoutMs)];
    await runOnRelease(runner, input, { verb: 'test', command: ['test'], options, more: [], timeoutMs, secrets, signal });
    const tests = (await testsOf(runner, input, signal)).map(({ name }) => name);
    return { kind: 'Passed', tests };
  } catch (error) {
    if (!isAppError(error) || error.code === 'ClusterUnavailable' || error.code === 'NotFound') throw error;
    const unended = Date.now() - began >= timeoutMs ? 'Running' : 'Failed';
    return await failureReport(runner, input, { error, began, unended, signal });
  }
}

interface FailedRun {
  readonly error: AppError;
  /** Milliseconds since the epoch. */
  readonly began: number;
  /** The phase of a test that did not end: failed when the time was over, else Helm itself was ended. */
  readonly unended: 'Running' | 'Failed';
  readonly signal: AbortSignal;
}

/** Helm records which hook failed; one that failed in an earlier run says nothing about this one. */
async function failureReport(runner: HelmRunner, input: TestInput, { error, began, unended, signal }: FailedRun): Promise<TestReport> {
  const run = (await testsOf(runner, input, signal)).filter((test) => Date.parse(test.startedAt) >= began - 1_000);
  const failed = run.filter(({ phase }) => phase === 'Failed' || phase === unended);
  if (failed.length === 0) throw error;
  return { kind: 'Failed', failed: failed.map(({ name }) => name), message: error.message };
}

async function testsOf(runner: HelmRunner, input: TestInput, signal: AbortSignal): Promise<readonly TestRun[]> {
  const options = ['--output', 'json'];
  const run = { verb: 'status', command: ['status'], options, more: [], timeoutMs: READ_TIMEOUT_MS, signal };
  return parseTests(await runOnRelease(runner, input, run));
}
