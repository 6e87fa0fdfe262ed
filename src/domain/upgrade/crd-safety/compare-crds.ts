import { isDeepStrictEqual } from 'node:util';
import { at, isObject, listAt, textAt, textsAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { CrdFinding } from './finding.ts';

/**
 * What a new version of a CRD takes away from the one that is live: names, scope, versions, fields, and what fields may hold. Both of
 * `apiextensions.k8s.io/v1`. Sorted by path.
 */
export function compareCrds(live: KubeObject, candidate: KubeObject): CrdFinding[] {
  const found = [
    ...identity(live.spec, candidate.spec),
    ...pruning(live, candidate),
    ...conversion(live, candidate),
    ...versions(live, candidate),
  ];
  return found.sort((a, b) => a.path.localeCompare(b.path));
}

const FIXED = [['group'], ['scope'], ['names', 'kind'], ['names', 'plural']] as const;

function identity(live: unknown, candidate: unknown): CrdFinding[] {
  const changed = FIXED.flatMap((path): CrdFinding[] => {
    const [before, after] = [textAt(live, ...path), textAt(candidate, ...path)];
    if (before === after) return [];
    return [{ path: path.join('.'), message: `it changes from ${before ?? 'nothing'} to ${after ?? 'nothing'}`, severity: 'Incompatible' }];
  });
  const short = textsAt(candidate, 'names', 'shortNames');
  const lost = textsAt(live, 'names', 'shortNames').filter((name) => !short.includes(name));
  if (lost.length === 0) return changed;
  return [...changed, { path: 'names.shortNames', message: `${lost.join(', ')} is removed`, severity: 'Notice' }];
}

/** A CRD of `v1beta1` times may keep all that its schema does not name. */
function pruning(live: KubeObject, candidate: KubeObject): CrdFinding[] {
  const keeps = ({ spec }: KubeObject): boolean => at(spec, 'preserveUnknownFields') === true;
  if (!keeps(live) || keeps(candidate)) return [];
  return [{ path: 'preserveUnknownFields', message: 'fields that the schemas do not name are dropped now', severity: 'Incompatible' }];
}

/** Without its webhook, an object that is stored in one version is served in another with nothing changed but the version's name. */
function conversion(live: KubeObject, candidate: KubeObject): CrdFinding[] {
  const webhook = ({ spec }: KubeObject): unknown =>
    textAt(spec, 'conversion', 'strategy') === 'Webhook' ? (at(spec, 'conversion', 'webhook') ?? {}) : undefined;
  const [before, after] = [webhook(live), webhook(candidate)];
  const path = 'conversion';
  if (before === undefined || isDeepStrictEqual(before, after)) {
    return before === after ? [] : [{ path, message: 'a webhook converts between its versions now', severity: 'Notice' }];
  }
  if (after !== undefined) return [{ path, message: 'the webhook that converts between its versions changes', severity: 'Notice' }];
  const names = new Set([...versionsOf(candidate).map(({ name }) => name), ...textsAt(live.status, 'storedVersions')]);
  const severity = names.size > 1 ? 'Incompatible' : 'Notice';
  return [{ path, message: 'the conversion webhook is removed, so fields of other versions are dropped', severity }];
}

function versions(live: KubeObject, candidate: KubeObject): CrdFinding[] {
  const stored = textsAt(live.status, 'storedVersions');
  const findings = versionsOf(live).flatMap(({ name, served, schema }): CrdFinding[] => {
    const next = versionsOf(candidate).find((version) => version.name === name);
    const unsafe = (message: string): CrdFinding => ({ path: name, message, severity: 'Unsafe' });
    if (next === undefined && stored.includes(name)) return [{ ...unsafe(stillStored(live, candidate, name)), severity: 'Incompatible' }];
    if (next === undefined) return served ? [unsafe('the version is removed, and clients may use it')] : [];
    const hidden = served && !next.served ? [unsafe('the version is not served any more, and clients may use it')] : [];
    const changes = compareSchemas(schema, next.schema).map((finding) => ({ ...finding, path: `${name} ${finding.path}`.trimEnd() }));
    return [...hidden, ...subresources(live, candidate, name), ...changes];
  });
  return [...findings, ...storage(live, candidate)];
}

/** What a person has to do first: rewrite what is stored, and say that it was done. */
function stillStored(live: KubeObject, candidate: KubeObject, name: string): string {
  const [plural, group] = [textAt(live.spec, 'names', 'plural') ?? '', textAt(live.spec, 'group') ?? ''];
  const common = versionsOf(live).filter((version) => version.name !== name && version.served);
  const next = common.find((version) => versionsOf(candidate).some((other) => other.name === version.name))?.name;
  const message = `the version is removed, and objects are stored in it (status.storedVersions)`;
  if (next === undefined) return `${message}; first upgrade to a chart that serves both versions`;
  const rewrite = `kubectl get ${plural}.${next}.${group} -A -o json | kubectl replace -f -`;
  return `${message}; make ${next} the storage version, rewrite every object (${rewrite}), then remove ${name} from status.storedVersions`;
}

function subresources(live: KubeObject, candidate: KubeObject, name: string): CrdFinding[] {
  const has = (crd: KubeObject, subresource: string): boolean => {
    const version = listAt(crd.spec, 'versions').find((item) => textAt(item, 'name') === name);
    return isObject(at(version, 'subresources', subresource));
  };
  const path = `${name} subresources`;
  return ['status', 'scale'].flatMap((subresource): CrdFinding[] => {
    const [before, after] = [has(live, subresource), has(candidate, subresource)];
    if (before && !after)
      return [{ path, message: `the subresource ${subresource} is removed, and clients may use it`, severity: 'Unsafe' }];
    if (before || !after || subresource === 'scale') return [];
    return [{ path, message: 'status is a subresource now, so writing the object leaves its status alone', severity: 'Notice' }];
  });
}

function storage(live: KubeObject, candidate: KubeObject): CrdFinding[] {
  const [before, after] = [live, candidate].map((crd) => versionsOf(crd).find((version) => version.storage)?.name);
  if (before === undefined || after === undefined || before === after) return [];
  return [{ path: after, message: `new objects are stored in it instead of ${before}`, severity: 'Notice' }];
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
