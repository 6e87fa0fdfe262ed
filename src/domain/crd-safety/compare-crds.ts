import { at, isObject, listAt, textAt, textsAt } from '../read.ts';
import type { KubeObject } from '../resource.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { CrdFinding } from './finding.ts';

/**
 * What a new version of a definition takes away from the one that is live: names, scope, versions, fields, and what fields may hold. Both of
 * `apiextensions.k8s.io/v1`. Sorted by path.
 */
export function compareCrds(live: KubeObject, candidate: KubeObject): CrdFinding[] {
  return [...identity(live.spec, candidate.spec), ...versions(live, candidate)].sort((a, b) => a.path.localeCompare(b.path));
}

const FIXED = [['group'], ['scope'], ['names', 'kind'], ['names', 'plural']] as const;

function identity(live: unknown, candidate: unknown): CrdFinding[] {
  const changed = FIXED.flatMap((path): CrdFinding[] => {
    const [before, after] = [textAt(live, ...path), textAt(candidate, ...path)];
    if (before === after) return [];
    return [{ path: path.join('.'), what: `it changes from ${before ?? 'nothing'} to ${after ?? 'nothing'}`, severity: 'Unsafe' }];
  });
  const short = textsAt(candidate, 'names', 'shortNames');
  const lost = textsAt(live, 'names', 'shortNames').filter((name) => !short.includes(name));
  if (lost.length === 0) return changed;
  return [...changed, { path: 'names.shortNames', what: `${lost.join(', ')} is gone`, severity: 'Notice' }];
}

function versions(live: KubeObject, candidate: KubeObject): CrdFinding[] {
  const stored = textsAt(live.status, 'storedVersions');
  const findings = versionsOf(live).flatMap(({ name, served, schema }): CrdFinding[] => {
    const next = versionsOf(candidate).find((version) => version.name === name);
    const unsafe = (what: string): CrdFinding => ({ path: name, what, severity: 'Unsafe' });
    if (next === undefined && stored.includes(name)) return [unsafe('the version is gone, and objects are stored in it')];
    if (next === undefined) return served ? [unsafe('the version is gone, and clients may use it')] : [];
    const hidden = served && !next.served ? [unsafe('the version is not served any more, and clients may use it')] : [];
    const changes = compareSchemas(schema, next.schema).map((finding) => ({ ...finding, path: `${name} ${finding.path}`.trimEnd() }));
    return [...hidden, ...changes];
  });
  return [...findings, ...storage(live, candidate)];
}

function storage(live: KubeObject, candidate: KubeObject): CrdFinding[] {
  const [before, after] = [live, candidate].map((crd) => versionsOf(crd).find((version) => version.storage)?.name);
  if (before === undefined || after === undefined || before === after) return [];
  return [{ path: after, what: `new objects are stored in it instead of ${before}`, severity: 'Notice' }];
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  /** `openAPIV3Schema`; undefined when there is none. */
  readonly schema: unknown;
}

export function versionsOf(crd: KubeObject): CrdVersion[] {
  return listAt(crd.spec, 'versions').map((version) => ({
    name: textAt(version, 'name') ?? '',
    served: isObject(version) && version['served'] === true,
    storage: isObject(version) && version['storage'] === true,
    schema: at(version, 'schema', 'openAPIV3Schema'),
  }));
}
