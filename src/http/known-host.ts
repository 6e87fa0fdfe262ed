import type { RequestHandler } from 'express';
import { AppError } from '../domain/core/errors.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Answers only to our own names. A page whose name was made to lead here (DNS rebinding) would share our origin as far as a browser can tell; the name
 * in `Host` gives it away. The port does not count, and the names of this machine itself lead nowhere else. `X-Forwarded-Host` counts where a proxy is
 * trusted.
 *
 * @param others names besides that of the public URL, e.g. that of a Service.
 */
export function knownHost(publicUrl: URL, others: readonly string[] = []): RequestHandler {
  const names = new Set([publicUrl.hostname, ...others.map((name) => name.toLowerCase()), ...LOOPBACK]);
  return (req, _res, next) => {
    // The form that names a host within the address (RFC 9112, 3.2.2) is for proxies; it would overrule the header.
    if (!req.url.startsWith('/')) throw new AppError('MalformedRequest', 'request: its address must begin with "/"');
    if (!names.has(nameOf(req.host))) {
      const message = `request: the host of this server is ${publicUrl.origin}, not ${JSON.stringify(req.host ?? '')}: use that URL`;
      throw new AppError('MisdirectedRequest', message);
    }
    next();
  };
}

/** The host name without port, in the one spelling that the URL standard has for it; empty for what is none. */
function nameOf(host: string | undefined): string {
  const url = `http://${host ?? ''}`;
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
}
