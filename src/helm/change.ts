import type { JsonObject } from '../domain/kubernetes/resource.ts';
import type { ReleaseInfo, TestReport } from '../domain/operator/release.ts';
import { type HelmHome, withValuesFile } from './home.ts';
import { checkChartPath, checkRelease, labelArgument } from './names.ts';
import { postRendered } from './post-renderer.ts';
import { parseRelease, parseTests, type ReleaseRef, type TestRun } from './release-output.ts';
import { type HelmOutput, type HelmRunner, runOnRelease } from './run.ts';
import { type AppError, isAppError } from '../domain/core/errors.ts';

export interface InstallInput extends ReleaseRef {
  /** An absolute path: an archive or a folder. */
  readonly chartPath: string;
  /** All values over those of the chart; nothing of an earlier revision is kept. */
  readonly values: JsonObject;
  /** Labels of the release record, by which our releases are distinguished from foreign ones. */
  readonly labels: Readonly<Record<string, string>>;
  /** See `PostRender`. Default: none. */
  readonly postRender?: 'uplift' | 'plain';
  /** Strings that must not show in an error. */
  readonly secrets?: readonly string[];
  /** Bound on the whole run, hooks included. Default five minutes. */
  readonly timeoutMs?: number;
}

export interface UpgradeInput extends InstallInput {
  /** Revisions to keep. Default 10. */
  readonly historyLimit?: number;
}

export const CHANGE_TIMEOUT_MS = 300_000;
export const HISTORY_LIMIT = 10;

/** What a change of a release runs with. */
interface ChangeContext {
  readonly runner: HelmRunner;
  readonly home: HelmHome;
  readonly signal: AbortSignal;
}

export function install(context: ChangeContext, input: InstallInput): Promise<ReleaseInfo> {
  return change(context, 'install', input, []);
}

export function upgrade(context: ChangeContext, input: UpgradeInput): Promise<ReleaseInfo> {
  return change(context, 'upgrade', input, ['--reset-values', '--history-max', String(input.historyLimit ?? HISTORY_LIMIT)]);
}

async function change(
  { runner, home, signal }: ChangeContext,
  verb: 'install' | 'upgrade',
  input: InstallInput,
  extra: readonly string[],
): Promise<ReleaseInfo> {
  checkRelease(input.release, input.namespace);
  checkChartPath(input.chartPath);
  const labels = labelArgument(input.labels);
  const timeoutMs = input.timeoutMs ?? CHANGE_TIMEOUT_MS;
  const what = `${verb} of "${input.release}" in namespace "${input.namespace}"`;
  const { postRender: mode, secrets = [] } = input;
  const output = await withValuesFile(home, input.values, (values) => {
    const run = (more: readonly string[]): Promise<HelmOutput> =>
      runner({
        what,
        command: [verb],
        options: [...changeOptions(input, { values, labels, timeoutMs, extra }), ...more],
        positionals: [input.release, input.chartPath],
        timeoutMs,
        secrets,
        signal,
      });
    return mode === undefined ? run([]) : postRendered(home, { mode, what, secrets, run });
  });
  return parseRelease(output.stdout, input.labels);
}

interface ChangeArguments {
  readonly values: string;
  readonly labels: string;
  readonly timeoutMs: number;
  readonly extra: readonly string[];
}

function changeOptions(input: InstallInput, { values, labels, timeoutMs, extra }: ChangeArguments): string[] {
  const options = ['--namespace', input.namespace, '--output', 'json', '--values', values, '--timeout', hookTimeout(timeoutMs)];
  options.push('--skip-crds', '--skip-schema-validation', '--hide-notes', ...extra);
  if (labels !== '') options.push('--labels', labels);
  return options;
}

/** Helm gives up on a hook a little before we give up on Helm, so that it can still write down that the release failed. */
export function hookTimeout(timeoutMs: number): string {
  return `${Math.max(1, Math.round((timeoutMs * 0.9) / 1000))}s`;
}

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
