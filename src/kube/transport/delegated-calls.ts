// What a process with the role web leaves to a controller, because its own account has no permission for it.
import { AppError } from '../../domain/core/errors.ts';
import { parseJson as parseExactly, stringifyJson } from '../../domain/core/exact-json.ts';
import { isObject, objectAt, textAt, textsAt } from '../../domain/core/read.ts';
import { isDeployer } from '../../domain/environment/deployer.ts';
import { parseActor } from '../../domain/kubernetes/actor.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import type { Call, Identity } from './call.ts';
import { isHarmless } from './dry-run-guard.ts';

/** The header that says for whom a call is made, and as which account. */
export const IDENTITY_HEADER = 'x-chandlery-identity';
/** What the token of a process that delegates is for. */
export const DELEGATE_AUDIENCE = 'chandlery-controller';

/** Whether a controller makes this call for a process that delegates: dry runs, and the request of a webhook to synchronise a CatalogSource. */
export function isDelegated(call: Call): boolean {
  return call.identity.kind === 'dryRun' || isSyncRequest(call);
}

/**
 * Lets no call through that is not delegated. The process that sends it may be under the control of somebody else, so nothing is taken on trust.
 *
 * @throws AppError `Forbidden`, before anything is sent to the api-server.
 */
export function guardDelegated(call: Call): void {
  if (call.identity.kind === 'dryRun' ? isHarmless(call) : isSyncRequest(call)) return;
  throw new AppError(
    'Forbidden',
    `${call.what}: a controller makes only dry runs, whose answers are metadata, and requests to synchronise`,
  );
}

const SOURCE_PATH = `/apis/${CATALOG_SOURCE.group}/${CATALOG_SOURCE.version}/${CATALOG_SOURCE.resource}/`;
const MERGE_PATCH = 'application/merge-patch+json';

/** Exactly one annotation, which any webhook of the source may set. */
function isSyncRequest({ identity, method, path, contentType, body }: Call): boolean {
  const [pathname = ''] = path.split('?');
  if (identity.kind !== 'controller' || method !== 'PATCH' || contentType !== MERGE_PATCH) return false;
  if (!pathname.startsWith(SOURCE_PATH) || pathname.slice(SOURCE_PATH.length).includes('/')) return false;
  const annotations = objectAt(body, 'metadata', 'annotations');
  const wanted = { metadata: { annotations: { [OURS.reconcileAt]: textAt(annotations, OURS.reconcileAt) ?? '' } } };
  return stringifyJson(body) === stringifyJson(wanted);
}

/** The identity of a call as a header. */
export function writeIdentity(identity: Identity): string {
  const shown =
    identity.kind === 'dryRun' ? { ...identity, actor: { user: identity.actor.user, groups: identity.actor.groups } } : identity;
  return Buffer.from(stringifyJson(shown)).toString('base64url');
}

/** @throws AppError `MalformedRequest` for an identity as which no call is delegated. */
export function readIdentity(header: string): Identity {
  const found = parsed(header);
  if (textAt(found, 'kind') === 'controller') return { kind: 'controller' };
  if (textAt(found, 'kind') !== 'dryRun') throw malformed();
  const actor = parseActor(textAt(found, 'actor', 'user') ?? '', textsAt(found, 'actor', 'groups'));
  const [namespace, name] = [textAt(found, 'account', 'namespace'), textAt(found, 'account', 'name')];
  if (namespace === undefined) return { kind: 'dryRun', actor };
  if (name === undefined || !isDeployer(name)) throw malformed();
  return { kind: 'dryRun', actor, account: { namespace, name } };
}

function parsed(header: string): unknown {
  try {
    const found = parseExactly(Buffer.from(header, 'base64url').toString('utf8'));
    if (isObject(found)) return found;
  } catch {
    // It is reported below.
  }
  throw malformed();
}

function malformed(): AppError {
  return new AppError('MalformedRequest', `request: the header ${IDENTITY_HEADER} names no identity of a delegated call`);
}
