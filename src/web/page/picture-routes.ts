import { Router, type RequestHandler } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import type { WebDeps } from './page.ts';
import { pictureOf } from './picture-address.ts';

const PATIENCE_MS = 20_000;
const KEPT_SECONDS = 24 * 3600;
/** An SVG is a document: opened by itself it runs nothing, loads nothing and has no origin. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The pictures that charts and the catalogue name; 404 where there is none that we show. */
export function pictureRoutes({ pictures }: Pick<WebDeps, 'pictures'>): Router {
  const router = Router();
  router.get('/pictures/:signature/:address', pictureHandler(pictures));
  return router;
}

function pictureHandler(pictures: WebDeps['pictures']): RequestHandler<{ signature: string; address: string }> {
  return async ({ params }, response) => {
    const address = pictureOf(params.signature, params.address);
    const picture = address === undefined ? undefined : await pictures(address, AbortSignal.timeout(PATIENCE_MS)).catch(() => undefined);
    if (picture === undefined) throw new AppError('NotFound', 'picture: there is no image at this URL');
    response.set({
      'Content-Type': picture.type,
      'Content-Disposition': 'attachment',
      'Content-Security-Policy': POLICY,
      'Cache-Control': `private, max-age=${KEPT_SECONDS}`,
    });
    response.send(picture.bytes);
  };
}
