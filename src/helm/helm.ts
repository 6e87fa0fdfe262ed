import { isAppError } from '../domain/errors.ts';
import { parseManifest } from '../domain/manifest.ts';
import { planUnlock } from '../domain/release.ts';
import type { ReleaseInfo, UnlockStep } from '../domain/release.ts';
import type { KubeObject } from '../domain/resource.ts';
import { CHANGE_TIMEOUT_MS, hookTimeout, install, upgrade } from './change.ts';
import type { InstallInput, UpgradeInput } from './change.ts';
import { createGuardian } from './guardian.ts';
import { prepareHome } from './home.ts';
import { checkRelease } from './names.ts';
import { parseHistory, parseLabels } from './release-output.ts';
import type { ReleaseRef } from './release-output.ts';
import { render } from './render.ts';
import type { RenderInput } from './render.ts';
import { createRunner } from './run.ts';
import type { HelmLog, HelmRunner } from './run.ts';
import { createSlots } from './slots.ts';

export interface HelmOptions {
  /** Path of the helm 4 program. */
  readonly program: string;
  /** An absolute folder that is ours alone. */
  readonly homeDir: string;
  /** Absent inside a cluster; then `extraEnv` names the api-server as a pod's environment does. */
  readonly kubeconfigPath?: string;
  readonly kubeContext?: string;
  /** How many helm programs run at once; the number of cores is a good choice. */
  readonly maxChildren: number;
  /** Added to an otherwise private environment, e.g. for a credential program of the kubeconfig. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  readonly log: HelmLog;
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
  uninstall(ref: ReleaseRef, signal: AbortSignal): Promise<void>;
  rollback(ref: ReleaseRef & { readonly revision: number }, signal: AbortSignal): Promise<ReleaseInfo>;
  /** Newest revision first; empty when there is no such release. Without labels. */
  history(ref: ReleaseRef, signal: AbortSignal): Promise<ReleaseInfo[]>;
  /** The newest revision with its labels; undefined when there is no such release. */
  status(ref: ReleaseRef, signal: AbortSignal): Promise<ReleaseInfo | undefined>;
  /** The objects of the newest revision, or of the one asked for, as they were sent; without hooks. */
  manifest(ref: ReleaseRef & { readonly revision?: number }, signal: AbortSignal): Promise<KubeObject[]>;
  /** Frees a release that a dead worker left pending (see `planUnlock`), and tells what was done. Hold the release's lease. */
  unlock(ref: ReleaseRef, signal: AbortSignal): Promise<UnlockStep>;
}

const READ_TIMEOUT_MS = 30_000;

/** Makes the private home and gives the wrapper. */
export async function createHelm(options: HelmOptions): Promise<Helm> {
  const home = await prepareHome(options.homeDir, options.extraEnv);
  const connection = [
    ...(options.kubeconfigPath === undefined ? [] : ['--kubeconfig', options.kubeconfigPath]),
    ...(options.kubeContext === undefined ? [] : ['--kube-context', options.kubeContext]),
  ];
  const slots = createSlots(Math.max(1, options.maxChildren));
  const shared = { program: options.program, home, slots, guardian: createGuardian(), log: options.log };
  const online = createRunner({ ...shared, connection });
  const offline = createRunner({ ...shared, connection: [] });
  return {
    render: (input, signal) => render(offline, home, input, signal),
    install: (input, signal) => install({ runner: online, home, signal }, input),
    upgrade: (input, signal) => upgrade({ runner: online, home, signal }, input),
    uninstall: (ref, signal) => uninstall(online, ref, { signal, hooks: [] }),
    rollback: (ref, signal) => rollback(online, ref, { signal, hooks: [] }),
    history: (ref, signal) => history(online, ref, { signal, max: 256 }),
    status: (ref, signal) => status(online, ref, signal),
    manifest: (ref, signal) => manifest(online, ref, signal),
    unlock: (ref, signal) => unlock(online, ref, signal),
  };
}

interface ChangeRun {
  readonly signal: AbortSignal;
  readonly hooks: readonly '--no-hooks'[];
}

async function uninstall(runner: HelmRunner, ref: ReleaseRef, { signal, hooks }: ChangeRun): Promise<void> {
  const options = ['--ignore-not-found', '--cascade', 'background', '--timeout', hookTimeout(CHANGE_TIMEOUT_MS), ...hooks];
  await run(runner, ref, { verb: 'uninstall', command: ['uninstall'], options, more: [], timeoutMs: CHANGE_TIMEOUT_MS, signal });
}

async function rollback(runner: HelmRunner, ref: ReleaseRef & { readonly revision: number }, change: ChangeRun): Promise<ReleaseInfo> {
  const { signal, hooks } = change;
  const options = ['--timeout', hookTimeout(CHANGE_TIMEOUT_MS), ...hooks];
  const more = [String(Math.trunc(ref.revision))];
  await run(runner, ref, { verb: 'rollback', command: ['rollback'], options, more, timeoutMs: CHANGE_TIMEOUT_MS, signal });
  const [newest] = await history(runner, ref, { signal, max: 1 });
  if (newest === undefined) throw new Error('helm rolled back a release that has no history');
  return newest;
}

async function history(runner: HelmRunner, ref: ReleaseRef, { signal, max }: { signal: AbortSignal; max: number }): Promise<ReleaseInfo[]> {
  const options = ['--output', 'json', '--max', String(max)];
  const stdout = await found(
    run(runner, ref, { verb: 'history', command: ['history'], options, more: [], timeoutMs: READ_TIMEOUT_MS, signal }),
  );
  return stdout === undefined ? [] : parseHistory(stdout, ref);
}

async function status(runner: HelmRunner, ref: ReleaseRef, signal: AbortSignal): Promise<ReleaseInfo | undefined> {
  const [newest] = await history(runner, ref, { signal, max: 1 });
  if (newest === undefined) return undefined;
  const options = ['--output', 'json', '--revision', String(newest.revision)];
  const command = ['get', 'metadata'];
  const stdout = await found(run(runner, ref, { verb: 'status', command, options, more: [], timeoutMs: READ_TIMEOUT_MS, signal }));
  return stdout === undefined ? undefined : { ...newest, labels: parseLabels(stdout) };
}

async function manifest(runner: HelmRunner, ref: ReleaseRef & { readonly revision?: number }, signal: AbortSignal): Promise<KubeObject[]> {
  const options = ref.revision === undefined ? [] : ['--revision', String(Math.trunc(ref.revision))];
  const command = ['get', 'manifest'];
  return parseManifest(await run(runner, ref, { verb: 'manifest', command, options, more: [], timeoutMs: READ_TIMEOUT_MS, signal }));
}

async function unlock(runner: HelmRunner, ref: ReleaseRef, signal: AbortSignal): Promise<UnlockStep> {
  const step = planUnlock(await history(runner, ref, { signal, max: 256 }));
  // Hooks belong to a change that somebody asked for; this one only frees the record.
  if (step.act === 'uninstall') await uninstall(runner, ref, { signal, hooks: ['--no-hooks'] });
  if (step.act === 'rollback') await rollback(runner, { ...ref, revision: step.revision }, { signal, hooks: ['--no-hooks'] });
  return step;
}

interface ReleaseRun {
  readonly verb: string;
  readonly command: readonly string[];
  readonly options: readonly string[];
  /** Positionals after the release name. */
  readonly more: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function run(runner: HelmRunner, ref: ReleaseRef, { verb, command, options, more, timeoutMs, signal }: ReleaseRun): Promise<string> {
  checkRelease(ref.release, ref.namespace);
  const what = `${verb} of "${ref.release}" in namespace "${ref.namespace}"`;
  const all = ['--namespace', ref.namespace, ...options];
  const output = await runner({ what, command, options: all, positionals: [ref.release, ...more], timeoutMs, secrets: [], signal });
  return output.stdout;
}

/** The output, or undefined when there is no such release. */
async function found(output: Promise<string>): Promise<string | undefined> {
  try {
    return await output;
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}
