import { isDeepStrictEqual } from 'node:util';
import type { CrdSafety } from '../../operator/kind/upgrade-fields.ts';
import { isObject, listAt, textAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { type CrdVersion, versionsOf } from './compare-crds.ts';
import type { CrdFinding, CrdVerdict, InstanceFault } from './finding.ts';
import { validateValue } from './validate-value.ts';
import { withDefaults } from './schema-shape.ts';

/** A schema that stored instances are held against, and the version in which they are read for it. */
export interface StoredCheck {
  /** The live CRD serves it. */
  readonly read: string;
  /** Of the new CRD. */
  readonly version: string;
  /** `openAPIV3Schema` of the version that is read, as it is live, and of the new one. */
  readonly before: unknown;
  readonly schema: unknown;
  /** What paths begin with where the new CRD has several versions: `v2 `. */
  readonly prefix: string;
}

/**
 * The schemas that stored instances must fit. Each version that is served now and stays has clients of its own, so each whose schema changes counts, in
 * the version itself. Where another version becomes the one that objects are stored in, and nothing converts, the next write of any object drops what
 * that version does not know: so what is stored is held against it, too.
 */
export function storedChecks(live: KubeObject, candidate: KubeObject): StoredCheck[] {
  const [before, after] = [versionsOf(live).filter(({ served }) => served), versionsOf(candidate)];
  const check = (read: CrdVersion, next: CrdVersion): StoredCheck[] => {
    const prefix = after.length > 1 ? `${next.name} ` : '';
    const isSame = isDeepStrictEqual(read.schema, next.schema);
    return isSame ? [] : [{ read: read.name, version: next.name, before: read.schema, schema: next.schema, prefix }];
  };
  const own = after.flatMap((next) => before.filter(({ name }) => name === next.name).flatMap((read) => check(read, next)));
  const store = after.find(({ storage }) => storage);
  const source = before.find(({ storage }) => storage) ?? before[0];
  const moves = store !== undefined && versionsOf(live).find(({ storage }) => storage)?.name !== store.name;
  const converts = textAt(candidate.spec, 'conversion', 'strategy') === 'Webhook';
  if (!moves || converts || source === undefined || source.name === store.name) return own;
  return [...own, ...check(source, store)];
}

/** What is wrong with stored instances, read in the version of the check, by its schema: the first fault of each. */
export function storedFaults(
  { schema, prefix }: Pick<StoredCheck, 'schema' | 'prefix'>,
  instances: readonly KubeObject[],
): InstanceFault[] {
  return instances.flatMap((instance) => faultsOf(instance, schema)).map((fault) => ({ ...fault, path: `${prefix}${fault.path}` }));
}

/** Versions that the live CRD serves and the new one does not. */
export function removedVersions(live: KubeObject, candidate: KubeObject): string[] {
  const left = new Set(versionsOf(candidate).flatMap(({ name, served }) => (served ? [name] : [])));
  return versionsOf(live).flatMap(({ name, served }) => (served && !left.has(name) ? [name] : []));
}

/** Instances whose manifests, as `kubectl apply` and Git controllers keep them, are written in a version that goes. */
export function storedInRemovedVersions(gone: readonly string[], instances: readonly KubeObject[]): InstanceFault[] {
  return instances.flatMap((instance) => {
    const version = manifestVersions(instance).find((name) => gone.includes(name));
    const message = `its manifest is written in ${version ?? ''}, which is served no longer; apply it in another version first`;
    return version === undefined ? [] : [{ instance: instanceName(instance), path: 'apiVersion', message }];
  });
}

/** Of what was applied: by server-side apply, or by the annotation of the client-side one. Other writers know the versions that are served. */
function manifestVersions({ metadata }: KubeObject): string[] {
  const applied = listAt(metadata, 'managedFields').filter(
    (entry) => textAt(entry, 'operation') === 'Apply' && textAt(entry, 'subresource') === undefined,
  );
  const last = /"apiVersion":"([^"]*)"/.exec(metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '')?.[1];
  return [...applied.map((entry) => textAt(entry, 'apiVersion')), last].flatMap((apiVersion) =>
    apiVersion === undefined ? [] : [apiVersion.replace(/^.*\//, '')],
  );
}

/** `Cache team-a/one` */
export function instanceName({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function faultsOf(instance: KubeObject, schema: unknown): InstanceFault[] {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, status: _status, ...content } = instance;
  // What the operator writes, and what every object has, is not the instance's own.
  const own = isObject(schema) ? { ...schema, required: requiredOf(schema) } : schema;
  const [first] = validateValue(own, withDefaults(schema, content));
  return first === undefined ? [] : [{ instance: instanceName(instance), ...first }];
}

function requiredOf(schema: Record<string, unknown>): unknown[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => !['apiVersion', 'kind', 'metadata', 'status'].includes(String(name))) : [];
}

const NAMED = 10;

/** Whether a verdict stops the upgrade (`spec.upgrade.crdSafety`). */
export function blocksUpgrade({ findings, faults }: Pick<CrdVerdict, 'findings' | 'faults'>, safety: CrdSafety): boolean {
  if (safety === 'None') return false;
  return faults.length > 0 || findings.some((finding) => counts(finding, safety));
}

function counts({ severity }: CrdFinding, safety: CrdSafety): boolean {
  return severity === 'Incompatible' || (severity === 'Unsafe' && safety === 'Strict');
}

/** The findings that stop the upgrade, then the instances, at most ten of each by name. */
export function unsafeSentence(verdicts: readonly CrdVerdict[], safety: CrdSafety): string {
  const unsafe = verdicts.filter((verdict) => blocksUpgrade(verdict, safety));
  const findings = unsafe.flatMap(({ crd, findings: all }) =>
    all.filter((finding) => counts(finding, safety)).map(({ path, message }) => `${crd} ${path}: ${message}`),
  );
  const faults = unsafe.flatMap((verdict) => verdict.faults.map(({ instance, path, message }) => `${instance}: ${path}: ${message}`));
  const count = unsafe.reduce((sum, verdict) => sum + (verdict.faultCount ?? verdict.faults.length), 0);
  const stored = count === 0 ? '' : `${count} existing ${count === 1 ? 'instance' : 'instances'} would be invalid: `;
  return [bounded(findings, findings.length), `${stored}${bounded(faults, count)}`].filter((part) => part !== '').join('; ');
}

function bounded(lines: readonly string[], count: number): string {
  const more = count > NAMED ? `; and ${count - NAMED} more` : '';
  return `${lines.slice(0, NAMED).join('; ')}${more}`;
}
