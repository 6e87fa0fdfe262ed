import { availableParallelism } from 'node:os';
import type { Duplex } from 'node:stream';
import { type AppError, isAppError } from '../domain/core/errors.ts';
import { ifFound } from '../domain/kubernetes/cluster.ts';
import { type ReleaseInfo, type TestReport, unlockAction, type UnlockAction } from '../domain/operator/release.ts';
import type { ReleaseScope } from '../domain/app-instance/release-scope.ts';
import { textAt } from '../domain/core/read.ts';
import { checkAccount, checkChartPath, checkRelease, labelArgument } from './names.ts';
import { postRendered } from './post-renderer.ts';
import { parseHistory, parseLabels, parseRelease, parseTests, type ReleaseRef, type TestRun } from './release-output.ts';
import { render, type Renderer, type RenderInput } from './render.ts';
import { createRunner, type HelmLog, type HelmObserver, type HelmOutput, type HelmRunner, runOnRelease as run } from './run.ts';
import type { JsonObject, KubeObject } from '../domain/kubernetes/resource.ts';
import type { ImageRewrite } from '../domain/workload/image-rewrite.ts';
import { createGuardian } from './guardian.ts';
import { type HelmHome, prepareHome, withValuesFile } from './home.ts';
import { createParser, type TransformInWorker } from './parse-in-worker.ts';
import type { RevisionObjects } from './release-digest.ts';
import { createSlots } from './slots.ts';

export interface HelmOptions {
  /** Path of the helm 4 program. */
  readonly program: string;
  /** An absolute folder that is ours alone. */
  readonly homeDir: string;
  /** Absent inside a cluster; then `extraEnv` names the api-server as a pod's environment does. */
  readonly kubeconfigPath?: string;
  readonly kubeContext?: string;
  /**
   * How many helm programs run at once where there is memory for them (`childrenWithin`): no more than there are cores, and those that wait for a hook besides.
   */
  readonly maxChildren: number;
  /** Added to an otherwise private environment, e.g. for a credential program of the kubeconfig. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Where images come from instead, in every release. Default: images stay. */
  readonly imageRewrites?: readonly ImageRewrite[];
  readonly log: HelmLog;
  /** Is called with each run. */
  readonly observe?: HelmObserver;
}

/**
 * The helm program, typed. Every method throws AppError: `InvalidInput` before anything runs, else `HelmFailed`, `ReleaseConflict`, `NotFound`
 * or `ClusterUnavailable`; and the signal's reason when it aborts, which ends the program.
 */
export interface Helm {
  render(input: RenderInput, signal: AbortSignal): Promise<KubeObject[]>;
  install(input: InstallInput, signal: AbortSignal): Promise<ReleaseInfo>;
  upgrade(input: UpgradeInput, signal: AbortSignal): Promise<ReleaseInfo>;
  /** A release that is gone already is fine. */
  uninstall(ref: UninstallInput, signal: AbortSignal): Promise<void>;
  /** Goes back to an earlier revision, as a new one. */
  rollback(input: RollbackInput, signal: AbortSignal): Promise<ReleaseInfo>;
  /** Runs the tests of the newest revision. That tests fail is an outcome; that they cannot run is an error. */
  test(input: TestInput, signal: AbortSignal): Promise<TestReport>;
  /** Newest revision first; empty when there is no such release. Without labels. */
  history(ref: ReleaseRef, signal: AbortSignal): Promise<ReleaseInfo[]>;
  /** The newest revision with its labels; undefined when there is no such release. */
  status(ref: ReleaseRef, signal: AbortSignal): Promise<ReleaseInfo | undefined>;
  /** The objects of the newest revision, or of the one asked for, as they were sent; without hooks. */
  manifest(ref: ReleaseRef & { readonly revision?: number }, signal: AbortSignal): Promise<KubeObject[]>;
  /** The hooks of the newest revision. */
  hooks(ref: ReleaseRef, signal: AbortSignal): Promise<KubeObject[]>;
  /** What is in the Secret that Helm keeps of a revision. */
  readRecord(secret: KubeObject): Promise<RevisionObjects>;
  /** Frees a release that a dead worker left pending (see `planUnlock`), and tells what was done. Hold the release's lease. */
  unlock(ref: UnlockInput, signal: AbortSignal): Promise<UnlockAction>;
}

/** Helm as whoever the kubeconfig is, and as others. */
export interface HelmProgram extends Helm {
  /**
   * The same program, which calls the api-server as a ServiceAccount, impersonated: what templates look up and what hooks make included. The api-server adds the
   * groups of a ServiceAccount by itself.
   *
   * @throws AppError `InvalidInput` for a name that is none.
   */
  asServiceAccount(account: { readonly namespace: string; readonly name: string }): Helm;
}

export interface UninstallInput extends ReleaseRef {
  /** `skipped`: the hooks of the chart do not run. Default: they do. */
  readonly hooks?: 'skipped';
}

export interface RollbackInput extends ReleaseRef {
  readonly revision: number;
  readonly conflicts?: Conflicts;
  /** `skipped`: the hooks of the revision do not run. Default: they do. */
  readonly hooks?: 'skipped';
  /** Revisions to keep. Default 10. */
  readonly historyLimit?: number;
  /** Strings that must not show in an error. */
  readonly secrets?: readonly string[];
}

export interface UnlockInput extends ReleaseRef {
  /** Where a rollback that never ended was bound for. */
  readonly toRevision?: number;
}

const READ_TIMEOUT_MS = 30_000;

/** Makes the private home and gives the wrapper. */
export async function createHelm(options: HelmOptions): Promise<HelmProgram> {
  const home = await prepareHome(options.homeDir, options.extraEnv);
  const connection = [
    ...(options.kubeconfigPath === undefined ? [] : ['--kubeconfig', options.kubeconfigPath]),
    ...(options.kubeContext === undefined ? [] : ['--kube-context', options.kubeContext]),
  ];
  const slots = createSlots({ size: Math.max(1, options.maxChildren), computing: availableParallelism() });
  const shared = {
    program: options.program,
    home,
    slots,
    guardian: createGuardian(),
    log: options.log,
    observe: options.observe ?? (() => undefined),
  };
  const renderer = {
    runner: createRunner({ ...shared, connection: [] }),
    home,
    ...createParser(),
    imageRewrites: options.imageRewrites ?? [],
  };
  return {
    ...helmOver(renderer, createRunner({ ...shared, connection })),
    asServiceAccount: ({ namespace, name }) => {
      checkAccount(namespace, name);
      const as = ['--kube-as-user', `system:serviceaccount:${namespace}:${name}`];
      return helmOver(renderer, createRunner({ ...shared, connection: [...connection, ...as] }));
    },
  };
}

type HelmParts = Renderer & Pick<ReturnType<typeof createParser>, 'readRecord'> & Pick<ChangeContext, 'imageRewrites'>;

function helmOver(renderer: HelmParts, online: HelmRunner): Helm {
  const { home, parse, transform, readRecord, imageRewrites } = renderer;
  return {
    render: (input, signal) => render(renderer, input, signal),
    install: (input, signal) => install({ runner: online, home, transform, imageRewrites, signal }, input),
    upgrade: (input, signal) => upgrade({ runner: online, home, transform, imageRewrites, signal }, input),
    uninstall: ({ hooks, ...ref }, signal) => uninstall(online, ref, { signal, hooks: hookOptions(hooks) }),
    rollback: ({ hooks, ...input }, signal) => rollback(online, input, { signal, hooks: hookOptions(hooks) }),
    test: (input, signal) => testRelease(online, input, signal),
    history: (ref, signal) => history(online, ref, { signal, max: 256 }),
    status: (ref, signal) => status(online, ref, signal),
    manifest: (ref, signal) => manifest({ runner: online, parse }, ref, signal),
    hooks: (ref, signal) => hooksOf({ runner: online, parse }, ref, signal),
    readRecord: (secret) => readRecord(textAt(secret, 'data', 'release') ?? '', READ_TIMEOUT_MS),
    unlock: (input, signal) => unlock(online, input, signal),
  };
}

interface ChangeRun {
  readonly signal: AbortSignal;
  readonly hooks: readonly '--no-hooks'[];
}

function hookOptions(hooks: 'skipped' | undefined): ChangeRun['hooks'] {
  return hooks === undefined ? [] : ['--no-hooks'];
}

async function uninstall(runner: HelmRunner, ref: ReleaseRef, { signal, hooks }: ChangeRun): Promise<void> {
  const options = ['--ignore-not-found', '--cascade', 'background', '--timeout', hookTimeout(CHANGE_TIMEOUT_MS), ...hooks];
  await run(runner, ref, { verb: 'uninstall', command: ['uninstall'], options, more: [], timeoutMs: CHANGE_TIMEOUT_MS, signal });
}

async function rollback(runner: HelmRunner, input: RollbackInput, { signal, hooks }: ChangeRun): Promise<ReleaseInfo> {
  const { revision, conflicts, historyLimit = HISTORY_LIMIT, secrets = [] } = input;
  const limit = ['--history-max', String(historyLimit), '--timeout', hookTimeout(CHANGE_TIMEOUT_MS)];
  const options = [...limit, ...conflictOptions(conflicts), ...hooks];
  const more = [String(Math.trunc(revision))];
  const timeoutMs = CHANGE_TIMEOUT_MS;
  await run(runner, input, { verb: 'rollback', command: ['rollback'], options, more, timeoutMs, secrets, signal });
  const [newest] = await history(runner, input, { signal, max: 1 });
  if (newest === undefined) throw new Error('helm rolled back a release that has no history');
  return newest;
}

async function history(runner: HelmRunner, ref: ReleaseRef, { signal, max }: { signal: AbortSignal; max: number }): Promise<ReleaseInfo[]> {
  const options = ['--output', 'json', '--max', String(max)];
  const stdout = await ifFound(
    run(runner, ref, { verb: 'history', command: ['history'], options, more: [], timeoutMs: READ_TIMEOUT_MS, signal }),
  );
  return stdout === undefined ? [] : parseHistory(stdout, ref);
}

async function status(runner: HelmRunner, ref: ReleaseRef, signal: AbortSignal): Promise<ReleaseInfo | undefined> {
  const [newest] = await history(runner, ref, { signal, max: 1 });
  if (newest === undefined) return undefined;
  const options = ['--output', 'json', '--revision', String(newest.revision)];
  const command = ['get', 'metadata'];
  const stdout = await ifFound(run(runner, ref, { verb: 'status', command, options, more: [], timeoutMs: READ_TIMEOUT_MS, signal }));
  return stdout === undefined ? undefined : { ...newest, labels: parseLabels(stdout) };
}

async function manifest(
  { runner, parse }: Pick<Renderer, 'runner' | 'parse'>,
  ref: ReleaseRef & { readonly revision?: number },
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const options = ref.revision === undefined ? [] : ['--revision', String(Math.trunc(ref.revision))];
  const command = ['get', 'manifest'];
  const text = await run(runner, ref, { verb: 'manifest', command, options, more: [], timeoutMs: READ_TIMEOUT_MS, signal });
  return await parse(text, READ_TIMEOUT_MS);
}

async function hooksOf({ runner, parse }: Pick<Renderer, 'runner' | 'parse'>, ref: ReleaseRef, signal: AbortSignal): Promise<KubeObject[]> {
  const command = ['get', 'hooks'];
  const text = await run(runner, ref, { verb: 'hooks', command, options: [], more: [], timeoutMs: READ_TIMEOUT_MS, signal });
  return await parse(text, READ_TIMEOUT_MS);
}

async function unlock(runner: HelmRunner, { toRevision, ...ref }: UnlockInput, signal: AbortSignal): Promise<UnlockAction> {
  const step = unlockAction(await history(runner, ref, { signal, max: 256 }), toRevision);
  // Hooks belong to a change that somebody asked for; this one only frees the record.
  if (step.kind === 'uninstall') await uninstall(runner, ref, { signal, hooks: ['--no-hooks'] });
  if (step.kind === 'rollback') await rollback(runner, { ...ref, revision: step.revision }, { signal, hooks: ['--no-hooks'] });
  return step;
}

interface InstallInput extends ReleaseRef {
  /** An absolute path: an archive or a folder. */
  readonly chartPath: string;
  /** All values over those of the chart; nothing of an earlier revision is kept. */
  readonly values: JsonObject;
  /** Labels of the release record, by which our releases are distinguished from foreign ones. */
  readonly labels: Readonly<Record<string, string>>;
  /** `uplift`: CRDs are taken out, legacy APIs carried over, and images rewritten. Default: the objects stay as they are. */
  readonly postRender?: 'uplift';
  /** `Helm`: it validates the values against the schemas of the chart, as for a render. Default: they are not validated. */
  readonly validation?: 'Helm';
  /** Labels of the nodes that pods have to run on, for `uplift`. Default: none. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** What the objects may be, for `uplift`; nothing is written when one of them, a hook included, is something else. Default: anything. */
  readonly scope?: ReleaseScope;
  /** Strings that must not show in an error. */
  readonly secrets?: readonly string[];
  /** Bound on the whole run, hooks included. Default five minutes. */
  readonly timeoutMs?: number;
}

/** Whether the release takes fields back that others have changed. Default: that is a conflict. */
type Conflicts = 'force';

interface UpgradeInput extends InstallInput {
  readonly conflicts?: Conflicts;
  /** Revisions to keep. Default 10. */
  readonly historyLimit?: number;
}

const CHANGE_TIMEOUT_MS = 300_000;
const HISTORY_LIMIT = 10;

/** What a change of a release runs with. */
interface ChangeContext {
  readonly runner: HelmRunner;
  readonly home: HelmHome;
  readonly transform: TransformInWorker;
  readonly imageRewrites: readonly ImageRewrite[];
  readonly signal: AbortSignal;
}

function install(context: ChangeContext, input: InstallInput): Promise<ReleaseInfo> {
  return change(context, 'install', input, []);
}

function upgrade(context: ChangeContext, input: UpgradeInput): Promise<ReleaseInfo> {
  const limit = ['--history-max', String(input.historyLimit ?? HISTORY_LIMIT)];
  return change(context, 'upgrade', input, ['--reset-values', ...limit, ...conflictOptions(input.conflicts)]);
}

/** Only server-side apply knows who has a field; the objects of an adopted release may have been applied the old way. */
function conflictOptions(conflicts: Conflicts | undefined): readonly string[] {
  return conflicts === undefined ? [] : ['--server-side=true', '--force-conflicts'];
}

async function change(
  { runner, home, transform, imageRewrites, signal }: ChangeContext,
  verb: 'install' | 'upgrade',
  input: InstallInput,
  extra: readonly string[],
): Promise<ReleaseInfo> {
  checkRelease(input.release, input.namespace);
  checkChartPath(input.chartPath);
  const labels = labelArgument(input.labels);
  const timeoutMs = input.timeoutMs ?? CHANGE_TIMEOUT_MS;
  const what = `${verb} of "${input.release}" in namespace "${input.namespace}"`;
  const { postRender: mode, scope, nodeSelector = {}, secrets = [] } = input;
  const rules = { imageRewrites, nodeSelector, ...(scope === undefined ? {} : { scope }) };
  const output = await withValuesFile(home, input.values, (values) => {
    const run = (more: readonly string[], channel?: (stream: Duplex) => void): Promise<HelmOutput> =>
      runner({
        what,
        command: [verb],
        options: [...changeOptions(input, { values, labels, timeoutMs, extra }), ...more],
        positionals: [input.release, input.chartPath],
        timeoutMs,
        secrets,
        signal,
        ...(channel === undefined ? {} : { channel }),
      });
    return mode === undefined ? run([]) : postRendered({ mode, rules, what, secrets, transform, run });
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
  // The api-server rejects unknown fields of each object that Helm applies; Helm would fetch its OpenAPI documents in every run only to learn that it does.
  options.push('--skip-crds', '--disable-openapi-validation', '--hide-notes', ...extra);
  if (input.validation === undefined) options.push('--skip-schema-validation');
  if (labels !== '') options.push('--labels', labels);
  return options;
}

/** Helm gives up on a hook a little before we give up on Helm, so that it can still write down that the release failed. */
function hookTimeout(timeoutMs: number): string {
  return `${Math.max(1, Math.round((timeoutMs * 0.9) / 1000))}s`;
}

interface TestInput extends ReleaseRef {
  /** Bound on all tests together. Default five minutes. */
  readonly timeoutMs?: number;
  /** Strings that must not show in an error. */
  readonly secrets?: readonly string[];
}

/**
 * Runs the test hooks of the newest revision, those of an earlier run deleted first where the chart does not say otherwise.
 *
 * @throws AppError `HelmFailed` when no test has failed and Helm has all the same; `ClusterUnavailable`, `NotFound` as ever.
 */
async function testRelease(runner: HelmRunner, input: TestInput, signal: AbortSignal): Promise<TestReport> {
  const { timeoutMs = CHANGE_TIMEOUT_MS, secrets = [] } = input;
  const began = Date.now();
  try {
    const options = ['--timeout', hookTimeout(timeoutMs)];
    await run(runner, input, { verb: 'test', command: ['test'], options, more: [], timeoutMs, secrets, signal });
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
  return parseTests(
    await run(runner, input, { verb: 'status', command: ['status'], options, more: [], timeoutMs: READ_TIMEOUT_MS, signal }),
  );
}
