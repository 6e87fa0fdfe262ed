import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { HttpDeps } from './http-deps.ts';

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
