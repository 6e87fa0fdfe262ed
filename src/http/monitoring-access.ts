import type { Request } from 'express';
import { isLoopbackName, nameOf } from './headers.ts';
import type { HttpDeps, ScrapeAccess } from './http-deps.ts';

/** Headers that proxies add to what they pass on. */
const FORWARDED = /^(?:via|forwarded|x-forwarded(?:-.+)?|(?:x-)?(?:real|client|cluster-client|true-client)-ip|true-client-ip|cf-.+)$/;

/**
 * Decides who may read what a process reports about itself: a program on this machine, and the account of a token that may get `/metrics` in the cluster.
 * A request that a proxy has passed on is of no program on this machine, whatever the address in its headers. Since a proxy may add no header, a public URL
 * of another machine counts as a proxy, too. A page in a browser on this machine has the name of its own host in `Host` (DNS rebinding).
 */
export async function monitoringAccess(
  req: Request,
  { publicUrl, scrapeAccess }: Pick<HttpDeps, 'publicUrl' | 'scrapeAccess'>,
): Promise<ScrapeAccess> {
  if (isLoopbackName(publicUrl.hostname) && isDirect(req)) return 'Allowed';
  const [, token] = /^Bearer ([\w.~+/=-]{1,8192})$/i.exec(req.headers.authorization ?? '') ?? [];
  return token === undefined || scrapeAccess === undefined ? 'Unauthenticated' : await scrapeAccess(token);
}

function isDirect({ headers, socket: { remoteAddress = '' } }: Request): boolean {
  return (
    /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) &&
    isLoopbackName(nameOf(headers.host)) &&
    !Object.keys(headers).some((name) => FORWARDED.test(name))
  );
}
