import pMap from 'p-map';
import type { MissingPermission } from '../../domain/core/errors.ts';
import type { Finding, Remedy } from '../../domain/preflight/findings.ts';
import { remedyFor } from '../../domain/preflight/remedy.ts';
import { missingAccessSentence, valuesToAdd } from '../../domain/preflight/missing-access-text.ts';
import { missingRules, permissionsRemedy } from '../../domain/preflight/permissions-remedy.ts';
import { findMissingAccess, type MissingAccess } from '../../domain/preflight/release-permissions.ts';
import { redact } from '../../domain/core/secret.ts';
import type { Ports } from '../ports.ts';
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

/**
 * What it means that something was not tried for want of a permission, and that the controller lacks one. The actor's own permissions stop nothing, because the
 * controller is who applies; where the controller lacks one, it rejects the chart.
 */
export async function missingPermissions(
  { cluster, by, definition, isFuture }: DryRun,
  { discovery }: Pick<Ports, 'discovery'>,
  { forbidden, ...input }: DryRunInput & { readonly forbidden: readonly NamedDryRun[] },
): Promise<Lacking> {
  if (by === 'actor') return { blocked: [], unchecked: unasked(forbidden.map(({ permission }) => permission)), remedies: [] };
  const { objects, crds, release, namespace, signal } = input;
  const placed = await pMap(objects, async (object) => ({ object, kind: await discovery.find(object.apiVersion, object.kind, signal) }), {
    concurrency: 4,
  });
  const content = { release, namespace, objects: placed, crds };
  const found = await findMissingAccess((attributes) => cluster.review(attributes, input), content);
  // A deployer gets its permissions in a namespace with the namespace.
  const comes = ({ target }: MissingAccess): boolean =>
    by === 'deployer' && input.state === 'ToBeCreated' && 'namespace' in target && target.namespace === namespace;
  const missing = found.filter((one) => !comes(one));
  const pods = forbidden.filter((one) => one.of === 'pods').map(({ name, message }) => podsUnchecked(name, message));
  // The api-server forbids the others for another reason, which its words tell.
  const explained = new Set(missing.flatMap((one) => one.objects));
  const others = forbidden.filter((one) => one.of === 'object' && !explained.has(one.name));
  const account = missing.length === 0 ? '' : await cluster.account(input);
  const untried = others.map(({ name, message }) => lineOf(`${name}: ${message}`));
  const { own, rest } = definition === undefined ? { own: [], rest: missing } : grantable(missing, input.namespace);
  return {
    blocked: [
      ...missing.map((one) => lineOf(redact(sentenceOf({ by, account, definition }, one, own.includes(one)), input.secrets))),
      ...(isFuture === true ? [] : untried),
    ],
    unchecked: [...pods, ...(isFuture === true ? untried : [])],
    remedies: [
      ...(definition === undefined ? [] : permissionsRemedy(definition, missingRules(own).rules)),
      ...rest.flatMap((one) => remedyOf(account, one, input)),
    ],
  };
}

interface Partitioned {
  /** What `spec.permissions` can grant: permissions in the namespace of the release. */
  readonly own: readonly MissingAccess[];
  readonly rest: readonly MissingAccess[];
}

function grantable(missing: readonly MissingAccess[], namespace: string): Partitioned {
  const isOwn = (one: MissingAccess): boolean =>
    'namespace' in one.target && one.target.namespace === namespace && missingRules([one]).rejected.length === 0;
  return { own: missing.filter(isOwn), rest: missing.filter((one) => !isOwn(one)) };
}

interface Account extends Pick<DryRun, 'by'> {
  readonly account: string;
  readonly definition: DryRun['definition'];
}

function sentenceOf({ by, account, definition }: Account, missing: MissingAccess, isOwn: boolean): string {
  if (by === 'deployer') {
    const { target } = missing;
    const isNamespaced = 'namespace' in target && target.namespace !== undefined;
    const [rejected] = missingRules([missing]).rejected;
    const reason = isNamespaced && rejected !== undefined ? ` An AppDefinition cannot grant it: ${rejected.reason}.` : '';
    const forAll = 'adds it to a ClusterRole with the label chandlery.dev/aggregate-to-deployer: "true", for the releases of all apps';
    const forEach = isNamespaced ? forAll : 'binds the account to a ClusterRole with it by a ClusterRoleBinding';
    const how = isOwn ? `adds it to spec.permissions of the AppDefinition ${definition?.metadata.name ?? ''}` : forEach;
    return `The deployer of the environment, ${account}, ${missingAccessSentence(missing)}.${reason} To allow it, an admin ${how}`;
  }
  return `The account of Chandlery, ${account}, ${missingAccessSentence(missing)}. To allow it, add to the values of its chart ${valuesToAdd([missing])}`;
}

function remedyOf(account: string, { target, verbs }: MissingAccess, input: DryRunInput): Remedy[] {
  const [verb] = verbs;
  if ('path' in target || verb === undefined) return [];
  return [remedyFor({ user: account, permission: { ...reachOf(target, input), verb }, apps: new Set(), verbs })];
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

/** A role in a namespace that is not there yet could not be applied. */
function reachOf(
  { group, resource, namespace, name }: Omit<MissingPermission, 'verb'>,
  { state, ...place }: Pick<DryRunInput, 'namespace' | 'state'>,
): Omit<MissingPermission, 'verb'> {
  const reachable = namespace !== undefined && !(state === 'ToBeCreated' && namespace === place.namespace);
  return { group, resource, ...(reachable ? { namespace } : {}), ...(name === undefined ? {} : { name }) };
}

function lineOf(message: string): Finding {
  return { message, subject: 'Permission', evidence: 'exact' };
}
