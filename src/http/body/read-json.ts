import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { parseBoundedJson } from '../../domain/core/bounded-json.ts';
import { AppError } from '../../domain/core/errors.ts';
import { hasBody, receiveWhole, type BodyLimit } from './receive.ts';

const JSON_TYPES = ['application/json', 'application/*+json'];

/**
 * Reads JSON into `req.body`: an object or a list, within bounds; an empty body is an object. Other bodies are not read, and `req.body` stays
 * undefined.
 *
 * @param maxBytes what the resource that this address takes can need.
 */
export function readJson(maxBytes: number): RequestHandler {
  const limit: BodyLimit = {
    bytes: maxBytes,
    tooLarge: () => new AppError('TooLarge', `request: the body is larger than ${sizeOf(maxBytes)}`),
  };
  return async (req, res, next) => {
    if (!hasBody(req) || typeof req.is(JSON_TYPES) !== 'string') return next();
    refuseOtherCharsets(req.get('Content-Type') ?? '');
    const bytes = await receiveWhole(req, res, limit);
    req.body = bytes.length === 0 ? {} : parseBoundedJson(bytes);
    await nextTurn();
    next();
  };
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}

function refuseOtherCharsets(type: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (/^(utf-?8|us-ascii)$/i.test(charset)) return;
  throw new AppError('MalformedRequest', 'request: the body must be UTF-8');
}
