import { isInstallable, type OutsideObject } from '../../domain/app-definition/chart-requirements.ts';
import { proposedRules, type ResourcePermission } from '../../domain/app-definition/permission-rules.ts';
import type { ChartPreview } from '../../operation/app-definition/preview-chart.ts';
import { yamlText } from '../page/yaml-text.ts';

/** A view of `app-definitions/requirements`: what a chart needs that developers do not have. */
export interface RequirementsPart {
  /** Whether a developer can install the chart with its own values, as far as a dry run in no namespace shows. */
  readonly isInstallable: boolean;
  readonly groups: readonly RequirementGroup[];
  /** Absent when no values help. */
  readonly defaults?: ScopeDefaultsPart;
  /** Adds the kinds to the file; empty when nothing is outside, or the file has them. */
  readonly allowHref: string;
  /** Absent when the deployer lacks nothing that an AppDefinition can grant. */
  readonly permissions?: PermissionsPart;
}

interface PermissionsPart {
  readonly yaml: string;
  /** Adds the rules to the file; empty when it has them. */
  readonly href: string;
}

interface RequirementGroup {
  readonly title: string;
  /** What to do. */
  readonly text: string;
  readonly items: readonly { readonly name: string; readonly effects: readonly string[] }[];
}

interface ScopeDefaultsPart {
  readonly title: string;
  /** What the chart still needs with them. */
  readonly left: readonly string[];
  readonly yaml: string;
  /** Adds the values to the file; empty when it has them. */
  readonly href: string;
}

/** What the file has been asked to take over, and the addresses that ask for it. */
export interface RequirementLinks {
  readonly hasDefaults: boolean;
  readonly hasAllowed: boolean;
  readonly hasPermissions: boolean;
  readonly defaultsHref: string;
  readonly allowHref: string;
  readonly permissionsHref: string;
}

export function requirementsPart(preview: ChartPreview, links: RequirementLinks): RequirementsPart {
  const { requirements, scopeDefaults, faults } = preview;
  const { outside } = requirements;
  const { permissionRules = [] } = adoptedRequirements(preview, links.hasDefaults);
  const permissions = { yaml: yamlText(permissionRules), href: links.hasPermissions ? '' : links.permissionsHref };
  return {
    isInstallable: faults.length === 0 && isInstallable(requirements),
    groups: groupsOf(requirements).filter(({ items }) => items.length > 0),
    ...(scopeDefaults === undefined ? {} : { defaults: defaultsPart(scopeDefaults, links) }),
    allowHref: outside.length === 0 || links.hasAllowed ? '' : links.allowHref,
    ...(permissionRules.length === 0 ? {} : { permissions }),
  };
}

/** The requirements of the chart; with the proposed values as defaults, it can need less. */
export function adoptedRequirements(
  { requirements, scopeDefaults }: Pick<ChartPreview, 'requirements' | 'scopeDefaults'>,
  hasDefaults: boolean,
): ChartPreview['requirements'] {
  return hasDefaults ? (scopeDefaults?.requirements ?? requirements) : requirements;
}

function groupsOf({ outside, crds, unserved, permissions = [], accounts }: ChartPreview['requirements']): readonly RequirementGroup[] {
  return [
    {
      title: 'Objects outside of the namespace',
      text: 'Releases of instances may contain these objects only if spec.allowedResources lists their kinds, and if the deployer of each environment has the permission: the check of an instance prints the binding. If one release for the whole cluster is enough, use an Operator.',
      items: outside.map((object) => ({ name: nameOf(object), effects: object.effects })),
    },
    {
      title: 'CRDs',
      text: 'An AppDefinition installs no CRDs, and rejects a chart with CRDs in its folder crds/. Install the chart by an Operator.',
      items: crds.map(named),
    },
    {
      title: 'Kinds that this cluster does not serve',
      text: 'Install what serves them, or switch the objects off with the values of the chart.',
      items: unserved.map(({ apiVersion, kind }) => named(`${kind} of ${apiVersion}`)),
    },
    {
      title: 'Permissions that the deployer lacks',
      text: 'Grant them in spec.permissions. Releases of this app then have them in their namespace, and no other app has.',
      items: permissions.map(permissionItem),
    },
    {
      title: 'Service accounts with too many permissions',
      text: 'The policy of environments rejects pods that run as them. An admin lists accounts that are accepted in the annotation chandlery.dev/allowed-service-accounts of the namespace.',
      items: accounts.map(({ account, workload, powers }) => ({ name: `${account} of ${workload}`, effects: powers })),
    },
  ];
}

function permissionItem(permission: ResourcePermission): RequirementGroup['items'][number] {
  const { group, resource, name, verbs } = permission;
  const type = group === '' ? resource : `${resource}.${group}`;
  const reasons = proposedRules([permission]).rejected.map(({ reason }) => `An AppDefinition cannot grant it: ${reason}`);
  return { name: name === undefined ? type : `${type} "${name}"`, effects: [verbs.join(', '), ...reasons] };
}

function named(name: string): RequirementGroup['items'][number] {
  return { name, effects: [] };
}

function nameOf({ kind, name, namespace }: OutsideObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${name} in the namespace ${namespace}`;
}

function defaultsPart(
  { values, requirements }: NonNullable<ChartPreview['scopeDefaults']>,
  { hasDefaults, defaultsHref }: RequirementLinks,
): ScopeDefaultsPart {
  const left = groupsOf(requirements).flatMap(({ title, items }) => (items.length === 0 ? [] : [`${title} (${items.length})`]));
  return {
    title: left.length === 0 ? 'With these values, developers can install it' : 'These values keep objects within the namespace',
    left,
    yaml: yamlText(values),
    href: hasDefaults ? '' : defaultsHref,
  };
}
