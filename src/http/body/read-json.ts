import type { RequestHandler } from 'express';
import { parseBoundedJson } from '../../domain/core/bounded-json.ts';
import { AppError } from '../../domain/core/errors.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';
import { type BodyLimit, hasBody, receiveWhole } from './receive.ts';

/**
 * Reads JSON into `req.body`: an object or a list, within bounds; an empty body is an object.
 *
 * @param maxBytes what the resource that this address takes can need.
 * @param types media types that this address takes, the best first. Another one is answered `UnsupportedMediaType` with them, for PATCH in `Accept-Patch` (RFC 5789).
 */
export function readJson(maxBytes: number, types: readonly [string, ...string[]]): RequestHandler {
  const limit: BodyLimit = {
    bytes: maxBytes,
    tooLarge: () => new AppError('TooLarge', `request: the body is larger than ${sizeOf(maxBytes)}`),
  };
  return async (req, res, next) => {
    if (!hasBody(req)) return next();
    if (typeof req.is([...types]) !== 'string') {
      res.set(req.method === 'PATCH' ? 'Accept-Patch' : 'Accept', types.join(', '));
      throw new AppError('UnsupportedMediaType', `body: this endpoint reads JSON: send an object with "Content-Type: ${types[0]}"`);
    }
    rejectOtherCharsets(req.get('Content-Type') ?? '');
    const bytes = await receiveWhole(req, res, limit);
    req.body = bytes.length === 0 ? {} : parseBoundedJson(bytes);
    await yieldToEventLoop();
    next();
  };
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}

function rejectOtherCharsets(type: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (/^(utf-?8|us-ascii)$/i.test(charset)) return;
  throw new AppError('MalformedRequest', 'request: the body must be UTF-8');
}
