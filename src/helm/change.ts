import type { JsonObject } from '../domain/resource.ts';
import type { ReleaseInfo } from '../domain/release.ts';
import { PLAIN_POST_RENDERER, POST_RENDERER } from './home.ts';
import type { HelmHome } from './home.ts';
import { checkChartPath, checkRelease, labelArgument } from './names.ts';
import { parseRelease } from './release-output.ts';
import type { ReleaseRef } from './release-output.ts';
import type { HelmRunner } from './run.ts';
import { withValuesFile } from './values-file.ts';

export interface InstallInput extends ReleaseRef {
  /** An absolute path: an archive or a folder. */
  readonly chartPath: string;
  /** All values over those of the chart; nothing of an earlier revision is kept. */
  readonly values: JsonObject;
  /** Labels of the release record, by which our releases are told from foreign ones. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * `uplift` sends the objects through our post-renderer: CustomResourceDefinitions are taken out, legacy APIs carried over. `plain` changes nothing and
   * fails when there is a CustomResourceDefinition after all; it costs a few milliseconds, the other one takes a Node. Default: none.
   */
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
  const output = await withValuesFile(home, input.values, (values) =>
    runner({
      what: `${verb} of "${input.release}" in namespace "${input.namespace}"`,
      command: [verb],
      options: changeOptions(input, { values, labels, timeoutMs, extra }),
      positionals: [input.release, input.chartPath],
      timeoutMs,
      secrets: input.secrets ?? [],
      signal,
    }),
  );
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
  if (input.postRender === 'plain') options.push('--post-renderer', PLAIN_POST_RENDERER);
  if (input.postRender === 'uplift') options.push('--post-renderer', POST_RENDERER, '--post-renderer-args', 'uplift');
  return options;
}

/** Helm gives up on a hook a little before we give up on Helm, so that it can still write down that the release failed. */
export function hookTimeout(timeoutMs: number): string {
  return `${Math.max(1, Math.round((timeoutMs * 0.9) / 1000))}s`;
}
