import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { Call } from './call.ts';

/** One object's metadata; also what is left of the answer to a write. */
export const METADATA_OF_ONE = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** `/api/v1/…` or `/apis/GROUP/VERSION/…`: a collection, or an object in it. Subresources, which may act whatever `dryRun` says, do not fit. */
const COLLECTION = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+)?\/[^/]+$/;
const OBJECT = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+)?\/[^/]+\/[^/]+$/;
/** Questions about the account itself, which are sent as objects and kept nowhere. */
const QUESTIONS: ReadonlySet<string> = new Set([
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
]);

/**
 * Lets no call of a dry run out that could write, or that would bring in more than metadata.
 *
 * @throws AppError `Internal`, before anything leaves.
 */
export function guardDryRun(call: Call): void {
  if (call.identity.kind !== 'dryRun' || isHarmless(call)) return;
  throw new AppError('Internal', `${call.what}: a dry run neither writes nor reads more than metadata, so this was not sent`);
}

/** Whether a call neither writes nor brings in more than metadata. */
export function isHarmless({ method, path, accept }: Call): boolean {
  const { pathname, searchParams } = new URL(path, 'http://local.invalid');
  if (method === 'POST' && QUESTIONS.has(pathname)) return true;
  const place = method === 'POST' ? COLLECTION : OBJECT;
  const dryRun = searchParams.getAll('dryRun');
  const isTried = ['POST', 'PATCH'].includes(method) && dryRun.length === 1 && dryRun[0] === 'All';
  return (method === 'GET' || isTried) && place.test(pathname) && accept === METADATA_OF_ONE;
}

/** The user agent of a dry run: the audit log of the api-server has it, so it tells for whom the controller asked. */
export function dryRunAgent(userAgent: string, { user }: Actor): string {
  return `${userAgent} (dry run for ${encodeURIComponent(user).replaceAll('%3A', ':').replaceAll('%40', '@')})`;
}
