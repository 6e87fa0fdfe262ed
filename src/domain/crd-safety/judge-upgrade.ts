import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../read.ts';
import type { KubeObject } from '../resource.ts';
import { compareCrds, versionsOf } from './compare-crds.ts';
import type { CrdVerdict, InstanceFault } from './finding.ts';
import { validateValue } from './validate-value.ts';
import { withDefaults } from './with-defaults.ts';

/** The version in which stored instances are to be read for the check; undefined when no schema of a common version changes. */
export function versionToCheck(live: KubeObject, candidate: KubeObject): string | undefined {
  const common = versionsOf(candidate).filter(({ name }) => versionsOf(live).some((version) => version.name === name && version.served));
  const version = common.find(({ storage }) => storage) ?? common[0];
  const before = versionsOf(live).find(({ name }) => name === version?.name);
  return version === undefined || isDeepStrictEqual(before?.schema, version.schema) ? undefined : version.name;
}

export interface UpgradeInput {
  readonly live: KubeObject;
  readonly candidate: KubeObject;
  /** All stored instances, in the version of `versionToCheck`. */
  readonly instances: readonly KubeObject[];
}

/** What a new version of a definition means: what it takes away, and which stored instances it would not take. Pure. */
export function judgeUpgrade({ live, candidate, instances }: UpgradeInput): CrdVerdict {
  const version = versionToCheck(live, candidate);
  const schema = version === undefined ? undefined : schemaOf(candidate, version);
  const faults = schema === undefined ? [] : storedFaults(schema, instances);
  return { crd: candidate.metadata.name, findings: compareCrds(live, candidate), faults };
}

/** The schema of a version; undefined when there is none. */
export function schemaOf(crd: KubeObject, version: string): unknown {
  return versionsOf(crd).find(({ name }) => name === version)?.schema;
}

/** What is wrong with stored instances by the schema of their version: the first fault of each. */
export function storedFaults(schema: unknown, instances: readonly KubeObject[]): InstanceFault[] {
  return instances.flatMap((instance) => faultsOf(instance, schema));
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

/** Whether anything in the verdicts speaks against the upgrade. */
export function isUnsafe({ findings, faults }: CrdVerdict): boolean {
  return faults.length > 0 || findings.some(({ severity }) => severity === 'Unsafe');
}

/** The unsafe findings, then the instances, at most ten of each by name. */
export function unsafeSentence(verdicts: readonly CrdVerdict[]): string {
  const unsafe = verdicts.filter(isUnsafe);
  const findings = unsafe.flatMap(({ crd, findings: all }) =>
    all.filter(({ severity }) => severity === 'Unsafe').map(({ path, what }) => `${crd} ${path}: ${what}`),
  );
  const faults = unsafe.flatMap((verdict) => verdict.faults.map(({ instance, path, why }) => `${instance}: ${path}: ${why}`));
  const count = unsafe.reduce((sum, verdict) => sum + (verdict.faultCount ?? verdict.faults.length), 0);
  const stored = count === 0 ? '' : `${count} stored ${count === 1 ? 'instance' : 'instances'} would not fit: `;
  return [bounded(findings, findings.length), `${stored}${bounded(faults, count)}`].filter((part) => part !== '').join('; ');
}

function bounded(lines: readonly string[], count: number): string {
  const more = count > NAMED ? `; and ${count - NAMED} more` : '';
  return `${lines.slice(0, NAMED).join('; ')}${more}`;
}
