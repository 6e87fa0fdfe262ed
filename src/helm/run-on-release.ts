import { checkRelease } from './names.ts';
import type { ReleaseRef } from './release-output.ts';
import type { HelmRunner } from './run.ts';

/** A run of the program about one release. */
export interface ReleaseRun {
  readonly verb: string;
  readonly command: readonly string[];
  readonly options: readonly string[];
  /** Positionals after the release name. */
  readonly more: readonly string[];
  readonly timeoutMs: number;
  /** Strings that must not show in an error. */
  readonly secrets?: readonly string[];
  readonly signal: AbortSignal;
}

/** Runs the program about a release, and gives its standard output. Throws what the runner throws, and AppError `InvalidInput` for a wrong name. */
export async function runOnRelease(runner: HelmRunner, ref: ReleaseRef, input: ReleaseRun): Promise<string> {
  const { verb, command, options, more, timeoutMs, secrets = [], signal } = input;
  checkRelease(ref.release, ref.namespace);
  const what = `${verb} of "${ref.release}" in namespace "${ref.namespace}"`;
  const all = ['--namespace', ref.namespace, ...options];
  const output = await runner({ what, command, options: all, positionals: [ref.release, ...more], timeoutMs, secrets, signal });
  return output.stdout;
}
