import pMap from 'p-map';
import type { MissingPermission } from '../../domain/core/errors.ts';
import type { Finding, Remedy } from '../../domain/preflight/findings.ts';
import { remedyFor } from '../../domain/preflight/remedy.ts';
import { permissionText } from '../../domain/upgrade/preview/check-preview.ts';
import type { ForbiddenDryRun, DryRun, DryRunInput } from './dry-run-objects.ts';

/** What was not tried for want of a permission, and about which object. */
export interface NamedDryRun extends ForbiddenDryRun {
  readonly name: string;
}

interface Lacking {
  readonly blocked: readonly Finding[];
  readonly unchecked: readonly Finding[];
  readonly remedies: readonly Remedy[];
}

/** What Helm does with an object in the course of time. */
const VERBS = ['get', 'create', 'patch', 'delete'] as const;
const MAX_NAMES = 5;

/**
 * What it means that something was not tried for want of a permission. The actor's own permissions stop nothing, because the controller is who applies; where the
 * controller lacks one, it will not be able to install the chart.
 */
export async function missingPermissions(
  { cluster, by }: DryRun,
  forbidden: readonly NamedDryRun[],
  input: Pick<DryRunInput, 'namespace' | 'state' | 'signal'>,
): Promise<Lacking> {
  if (by === 'actor') return { blocked: [], unchecked: unasked(forbidden.map(({ permission }) => permission)), remedies: [] };
  const pods = forbidden.filter((one) => one.of === 'pods').map(({ name, message }) => podsUnchecked(name, message));
  const objects = forbidden.filter((one) => one.of === 'object');
  if (objects.length === 0) return { blocked: [], unchecked: pods, remedies: [] };
  const account = await cluster.account(input);
  const byResource = Object.values(Object.groupBy(objects, ({ permission }) => JSON.stringify(reachOf(permission, input)))).flatMap(
    (group) => (group === undefined ? [] : [group]),
  );
  const found = await pMap(byResource, async (group) => await checkGroup({ cluster, account, group }, input), { concurrency: 4 });
  return { blocked: found.flatMap(({ blocked }) => blocked), unchecked: pods, remedies: found.flatMap(({ remedies }) => remedies) };
}

/** One line for all that the actor may not try. */
function unasked(missing: readonly MissingPermission[]): Finding[] {
  const permissions = [
    ...new Set(missing.map(({ verb, resource, group }) => `${verb} ${resource}${group === '' ? '' : `.${group}`}`)),
  ].sort();
  if (permissions.length === 0) return [];
  const message = `You lack permissions that the controller's own account has, so no dry run took place: ${permissions.join(', ')}`;
  return [lineOf(message)];
}

/** The line about pods that could not be tried. */
export function podsUnchecked(name: string, why: string): Finding {
  return { message: `Whether the pods of ${name} would be admitted is unknown: ${why}`, subject: 'PodSecurity', evidence: 'exact' };
}

interface Suspects {
  readonly cluster: DryRun['cluster'];
  readonly account: string;
  /** All of one resource in one place. */
  readonly group: readonly NamedDryRun[];
}

async function checkGroup(
  { cluster, account, group }: Suspects,
  input: Pick<DryRunInput, 'namespace' | 'state' | 'signal'>,
): Promise<Omit<Lacking, 'unchecked'>> {
  const [first] = group;
  if (first === undefined) return { blocked: [], remedies: [] };
  const reach = reachOf(first.permission, input);
  const verdicts = await Promise.all(VERBS.map(async (verb) => ({ verb, ...(await cluster.review({ ...reach, verb }, input)) })));
  const verbs = verdicts.flatMap(({ verb, allowed }) => (allowed ? [] : [verb]));
  const [verb] = verbs;
  // It may do that, so the api-server forbids it for another reason: giving away permissions that the account lacks itself, for example.
  if (verb === undefined) return { blocked: group.map(({ name, message }) => lineOf(`${name}: ${message}`)), remedies: [] };
  const permission = { ...reach, verb };
  const message = `The account of Chandlery, ${account}, may not ${permissionText({ ...permission, verb: verbs.join(', ') })}, so it cannot install ${namesOf(group)}`;
  return { blocked: [lineOf(message)], remedies: [remedyFor({ user: account, permission, apps: new Set(), verbs })] };
}

/** A role in a namespace that is not there yet could not be applied. */
function reachOf(
  { group, resource, namespace }: MissingPermission,
  { state, ...place }: Pick<DryRunInput, 'namespace' | 'state'>,
): Omit<MissingPermission, 'verb'> {
  const reachable = namespace !== undefined && !(state === 'ToBeCreated' && namespace === place.namespace);
  return { group, resource, ...(reachable ? { namespace } : {}) };
}

function namesOf(group: readonly NamedDryRun[]): string {
  const names = [...new Set(group.map(({ name }) => name))];
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function lineOf(message: string): Finding {
  return { message, subject: 'Permission', evidence: 'exact' };
}
