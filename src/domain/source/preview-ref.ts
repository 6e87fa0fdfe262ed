import { AppError } from '../core/errors.ts';
import type { SourceSpec } from './catalog-source.ts';

/** What git takes for a branch or a tag, as the rule of `spec.git.ref` has it. */
const NAME = /^[A-Za-z0-9_][-A-Za-z0-9_./+]*$/;
/** As the patterns of `spec.oci.ref` have it. */
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const RANGE = /^[\w\s.<>=~^|*+-]+$/;
const LONGEST = 255;

/**
 * The spec of a source with the ref that a person wants to preview. Of a repository `main` (a branch), `tag:v1.4.0`, `semver:>=1.2.0 <2.0.0`, or a commit
 * by its whole SHA-1; of an artifact a tag, `semver:…` or the digest. Nothing else reaches the host.
 *
 * @throws AppError `InvalidInput`, also for a folder, which has no refs.
 */
export function withPreviewRef(spec: SourceSpec, text: string): SourceSpec {
  const ref = text.trim();
  const { git, oci } = spec;
  if (git !== undefined) return { ...spec, git: { ...git, ref: gitRef(ref) } };
  if (oci !== undefined) return { ...spec, oci: { ...oci, ref: artifactRef(ref) } };
  throw invalid(ref, 'The source is a folder, which has no refs');
}

function gitRef(ref: string): NonNullable<NonNullable<SourceSpec['git']>['ref']> {
  const hint = 'Enter a branch, tag:NAME, semver:RANGE or a commit by its 40 characters';
  if (/^[0-9a-f]{40}$/.test(ref)) return { commit: ref };
  if (ref.startsWith('semver:')) return { semver: checked(ref.slice('semver:'.length), RANGE, hint) };
  if (ref.startsWith('tag:')) return { tag: checked(ref.slice('tag:'.length), NAME, hint) };
  return { branch: checked(ref.replace(/^branch:/, ''), NAME, hint) };
}

function artifactRef(ref: string): NonNullable<NonNullable<SourceSpec['oci']>['ref']> {
  const hint = 'Enter a tag, semver:RANGE or the digest sha256:… of the manifest';
  if (/^sha256:[0-9a-f]{64}$/.test(ref)) return { digest: ref };
  if (ref.startsWith('semver:')) return { semver: checked(ref.slice('semver:'.length), RANGE, hint) };
  return { tag: checked(ref.replace(/^tag:/, ''), TAG, hint) };
}

function checked(name: string, pattern: RegExp, hint: string): string {
  const isName = name.length <= LONGEST && pattern.test(name) && !name.includes('..') && !name.endsWith('.lock') && !name.endsWith('/');
  if (isName) return name;
  throw invalid(name, hint);
}

function invalid(ref: string, message: string): AppError {
  return new AppError('InvalidInput', `ref: ${JSON.stringify(ref.slice(0, 60))}: ${message}`, { faults: [{ field: 'ref', message }] });
}
