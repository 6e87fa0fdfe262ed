import { createHash } from 'node:crypto';
import { stringifyJson } from '../core/exact-json.ts';
import { at } from '../core/read.ts';
import type { ConditionInput } from '../kubernetes/condition.ts';
import type { AppDefinitionSpec } from './app-definition.ts';
import { type ChartRequirements, ruleText } from './chart-requirements.ts';
import { ruleOf } from './permission-rules.ts';

/** The type of the condition that tells whether developers can install the App with its defaults. */
export const INSTALLABLE = 'Installable';

/** A chart rendered with its defaults, and what it then needs beyond what its AppDefinition grants. */
export interface AssessedChart {
  readonly requirements: ChartRequirements;
  /** Faults of its rendering, a sentence each. */
  readonly faults: readonly string[];
}

type AssessedSpec = Pick<AppDefinitionSpec, 'allowedResources' | 'permissions' | 'catalog'>;

/** A digest over what decides the requirements, and the request to look again. */
export function requirementsDigest(
  chartDigest: string,
  { allowedResources, permissions, catalog }: AssessedSpec,
  requestedAt: string,
): string {
  const parts = [chartDigest, defaultsOf({ catalog }), allowedResources, permissions, requestedAt];
  return createHash('sha256').update(stringifyJson(parts)).digest('hex').slice(0, 40);
}

/** The values that new instances begin with. */
export function defaultsOf({ catalog }: Pick<AssessedSpec, 'catalog'>): unknown {
  return at(catalog, 'defaults', 'spec', 'values') ?? {};
}

/** The requirements without the objects outside of the namespace that an AppDefinition allows. */
export function beyondAllowed(requirements: ChartRequirements, { allowedResources }: AssessedSpec): ChartRequirements {
  const isAllowed = (object: ChartRequirements['outside'][number]): boolean =>
    allowedResources.some(({ group, kind }) => group === object.group && kind === object.kind);
  return { ...requirements, outside: requirements.outside.filter((object) => !isAllowed(object)) };
}

interface Requirement {
  readonly reason: string;
  readonly message: string;
}

/** The condition of an AppDefinition that names the first requirement, and how many more there are. */
export function installableCondition({ requirements, faults }: AssessedChart): ConditionInput {
  const all = requirementsIn(requirements, faults);
  const [first] = all;
  if (first === undefined) {
    const message = 'Developers can install the App with its defaults, as far as rendering shows';
    return { type: INSTALLABLE, status: 'True', reason: 'RequirementsMet', message };
  }
  const more = all.length === 1 ? '' : `; ${all.length - 1} more: see the preview of the chart`;
  return { type: INSTALLABLE, status: 'False', reason: first.reason, message: `${first.message}${more}` };
}

function requirementsIn(
  { crds, outside, unserved, permissions = [], accounts }: ChartRequirements,
  faults: readonly string[],
): readonly Requirement[] {
  return [
    ...faults.map((fault) => ({ reason: 'DefaultsInvalid', message: `The chart does not render with its defaults: ${fault}` })),
    ...crds.map((name) => ({ reason: 'CRDsMissing', message: `The chart brings the CRD ${name}, which an instance cannot install` })),
    ...unserved.map(({ apiVersion, kind }) => ({
      reason: 'KindsNotServed',
      message: `This cluster does not serve ${kind} of ${apiVersion}`,
    })),
    ...outside.map(({ kind, group, name }) => ({
      reason: 'ResourcesNotAllowed',
      message: `${kind} "${name}" is outside of the namespace of a release: add ${group === '' ? kind : `${kind} of ${group}`} to spec.allowedResources, or switch it off in catalog.defaults`,
    })),
    ...permissions.map((permission) => ({
      reason: 'PermissionsMissing',
      message: `The deployer may not ${ruleText(ruleOf(permission))}: grant it in spec.permissions`,
    })),
    ...accounts.map(({ account, workload, powers }) => ({
      reason: 'AccountsRejected',
      message: `The policy of environments rejects pods of ${workload}: their service account ${account} may ${powers.join(', ')}`,
    })),
  ];
}
