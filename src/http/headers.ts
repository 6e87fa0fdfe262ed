import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { AppError } from '../domain/core/errors.ts';
import type { Cookies } from './cookies.ts';
import { credentialsOf } from './authenticate.ts';
import type { HttpDeps } from './http-deps.ts';

/**
 * Headers of which the first and the last one could be read by different programs on the way here. Node keeps the first of most and joins the
 * cookies, and says nothing of it.
 */
const ONCE = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'origin',
  'sec-fetch-site',
  'transfer-encoding',
]);

/** Rejects a request that says twice who sends it, where it comes from or what it holds. */
export function singleHeaders(): RequestHandler {
  return (req, _res, next) => {
    const seen = new Set<string>();
    for (let index = 0; index < req.rawHeaders.length; index += 2) {
      const name = req.rawHeaders[index]?.toLowerCase() ?? '';
      if (!ONCE.has(name)) continue;
      if (seen.has(name)) throw new AppError('MalformedRequest', `request: it has two headers ${JSON.stringify(name)}: send one`);
      seen.add(name);
    }
    next();
  };
}

const FOREIGN = /^(impersonate-|x-remote-)/i;

/** Drops the headers that name the actor to the api-server: nobody but our own transport sets them. */
export function dropForeignIdentity(): RequestHandler {
  return (req, _res, next) => {
    for (const name of Object.keys(req.headers)) {
      if (FOREIGN.test(name)) delete req.headers[name];
    }
    const kept = pairs(req.rawHeaders).filter(([name]) => !FOREIGN.test(name));
    req.rawHeaders.splice(0, req.rawHeaders.length, ...kept.flat());
    next();
  };
}

function pairs(raw: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) found.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return found;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a host name of a URL stands for this machine alone. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK.includes(hostname);
}

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
export function nameOf(host: string | undefined): string {
  const url = `http://${host ?? ''}`;
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Rejects what another site makes a browser send with our cookie. Requests that carry no cookie of ours cannot be abused that way. */
export function sameSiteOnly(publicUrl: URL, cookies: Cookies): RequestHandler {
  return (req, _res, next) => {
    const abusable = !SAFE.has(req.method) && credentialsOf(req, cookies).kind === 'session';
    if (abusable && !isOurs(req, publicUrl)) {
      const from = JSON.stringify(req.get('Origin') ?? req.get('Sec-Fetch-Site') ?? 'an unknown place');
      throw new AppError('CrossSiteRequest', `request: it came from ${from}, not from ${publicUrl.origin}: open that URL and try again`);
    }
    next();
  };
}

/**
 * `Sec-Fetch-Site` is the browser's own word (https://www.w3.org/TR/fetch-metadata/); `none` means the person, not a page, and then,
 * as with browsers that send no such header, the Origin decides.
 */
function isOurs(req: Request, publicUrl: URL): boolean {
  const site = req.get('Sec-Fetch-Site');
  if (site === 'same-origin') return true;
  if (site !== undefined && site !== 'none') return false;
  return req.get('Origin') === publicUrl.origin;
}

/** Lets through only bodies that say how long they are, and are no longer than that: for a handler that reads them by itself, of whoever asks. */
export function contentLength(maxBytes: number): RequestHandler {
  return (req, _res, next) => {
    const isOpen = req.headers['transfer-encoding'] !== undefined;
    if (isOpen || Number(req.headers['content-length'] ?? 0) > maxBytes) {
      const message = `request: the body is larger than ${maxBytes / 1024} KiB, or does not say how large it is: send it with "Content-Length"`;
      throw new AppError('TooLarge', message);
    }
    next();
  };
}

/**
 * The headers that bound what a page may do: no inline code, no frames, forms only to us and, for the sign-out, to the issuer
 * (Chromium checks redirects of a form as well). The referrer stays within our origin rather than being dropped, because a browser
 * that sends none also sends `Origin: null` with our own forms.
 */
export function securityHeaders({ publicUrl, identity }: Pick<HttpDeps, 'publicUrl' | 'identity'>): RequestHandler {
  const secure = publicUrl.protocol === 'https:';
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        // Pictures of charts are fetched by us (`/pictures`): a browser that did would tell strangers who looks at what.
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'manifest-src': ["'self'"],
        'form-action': ["'self'", () => identity.formTargets().join(' ')],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
      },
    },
    strictTransportSecurity: secure,
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
}

/** What a signed-in person sees is for nobody's cache; assets come before this and say otherwise. */
export function noStore(): RequestHandler {
  return (_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  };
}
