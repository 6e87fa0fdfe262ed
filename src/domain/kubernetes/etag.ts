import { AppError, isAppError } from '../core/errors.ts';
import type { KubeObject } from './resource.ts';

/** The entity tags of a header, as they are written, or `*` for any. */
export type EtagList = '*' | readonly string[];

/** What a request asks of the resource as it is now (RFC 9110, 13.1). */
export interface Preconditions {
  readonly ifMatch?: EtagList;
  readonly ifNoneMatch?: EtagList;
}

const ETAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/y;

/** The entity tag of an object of the cluster, quotes included: it changes with every write, of the status too. */
export function etagOf({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): string {
  return `"${uid}.${resourceVersion}"`;
}

/**
 * Reads `If-Match` and `If-None-Match`.
 *
 * @throws AppError `MalformedRequest` for what is no list of entity tags.
 */
export function parsePreconditions(headers: {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}): Preconditions {
  return {
    ...(headers.ifMatch === undefined ? {} : { ifMatch: parseEtags('If-Match', headers.ifMatch) }),
    ...(headers.ifNoneMatch === undefined ? {} : { ifNoneMatch: parseEtags('If-None-Match', headers.ifNoneMatch) }),
  };
}

/**
 * Holds what was asked against the resource as it is now. A weak tag never matches for `If-Match` (RFC 9110, 8.8.3.2).
 *
 * @param etag strong, quotes included; absent: the resource has none.
 * @throws AppError `PreconditionFailed`.
 */
export function checkPreconditions(what: string, etag: string | undefined, { ifMatch, ifNoneMatch }: Preconditions): void {
  if (ifMatch !== undefined && ifMatch !== '*' && (etag === undefined || !ifMatch.includes(etag))) {
    const now = etag === undefined ? 'it has no strong ETag' : `its ETag is ${etag} now, so it changed since you read it`;
    throw new AppError('PreconditionFailed', `${what}: If-Match does not hold: ${now}; read it again and repeat the request`);
  }
  if (etag !== undefined && names(ifNoneMatch, etag)) {
    throw new AppError('PreconditionFailed', `${what}: If-None-Match does not hold: it exists, with the ETag ${etag}`);
  }
}

/** Whether the list of `If-None-Match` names a tag; here weak ones are compared like strong ones. */
export function names(list: EtagList | undefined, etag: string): boolean {
  return list === '*' || (list ?? []).some((tag) => tag.replace(/^W\//, '') === etag.replace(/^W\//, ''));
}

/** What a request is about, as it was read, and what it asks of that. */
export interface Checked {
  readonly what: string;
  readonly object: KubeObject;
  readonly preconditions?: Preconditions;
}

/**
 * Checks the preconditions, and writes. Where the request names versions, the write carries the `resourceVersion` that was checked, so that nobody comes
 * between the two.
 *
 * @throws AppError `PreconditionFailed`, and as the write.
 */
export async function writeChecked<T>(
  { what, object, preconditions = {} }: Checked,
  write: (only: { readonly resourceVersion?: string }) => Promise<T>,
): Promise<T> {
  checkPreconditions(what, etagOf(object), preconditions);
  const { resourceVersion } = object.metadata;
  const { ifMatch } = preconditions;
  if (ifMatch === undefined || ifMatch === '*' || resourceVersion === undefined) return await write({});
  try {
    return await write({ resourceVersion });
  } catch (cause) {
    if (!isAppError(cause, 'Conflict')) throw cause;
    throw new AppError('PreconditionFailed', `${what}: If-Match does not hold: it changed just now; read it again and repeat the request`, {
      cause,
    });
  }
}

function parseEtags(name: string, header: string): EtagList {
  const text = header.trim();
  if (text === '*') return '*';
  const tags: string[] = [];
  for (let at = 0; at < text.length;) {
    ETAG.lastIndex = at;
    const [tag] = ETAG.exec(text) ?? [];
    const rest = tag === undefined ? '' : text.slice(at + tag.length);
    const separator = /^[ \t]*(?:$|(?:,[ \t]*)+)/.exec(rest);
    if (tag === undefined || separator === null) throw malformed(name);
    tags.push(tag);
    at += tag.length + separator[0].length;
  }
  if (tags.length === 0) throw malformed(name);
  return tags;
}

function malformed(name: string): AppError {
  return new AppError('MalformedRequest', `request: ${name} is no list of entity tags: send ${name}: "…" with the quotes, or ${name}: *`);
}
