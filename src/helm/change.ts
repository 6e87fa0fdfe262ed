import type { JsonObject } from '../domain/kubernetes/resource.ts';
import type { ReleaseInfo } from '../domain/operator/release.ts';
import { type HelmHome, withValuesFile } from './home.ts';
import { checkChartPath, checkRelease, labelArgument } from './names.ts';
import { postRendered } from './post-renderer.ts';
import { parseRelease, type ReleaseRef } from './release-output.ts';
import type { HelmOutput, HelmRunner } from './run.ts';

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
export interface ChangeContext {
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
