import express, { Router, type RequestHandler } from 'express';
import { AppError } from '../domain/errors.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPES = ['application/json', 'application/*+json'];
const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml'];
const LIMIT = '1mb';
const MAX_DEPTH = 100;

/**
 * Reads the body into `req.body`: a form as URLSearchParams (every field, in order, as often as it came), JSON as an object or a list,
 * YAML as text. Other bodies are not read, and `req.body` stays undefined.
 */
export function readBody(): RequestHandler {
  return Router()
    .use(express.json({ limit: LIMIT, type: JSON_TYPES, strict: true }))
    .use(refuseExtremes())
    .use(express.text({ limit: LIMIT, type: YAML_TYPES }))
    .use(readForm());
}

/** What no resource needs, and what would end the stack or turn into `null` on its way to the cluster. */
function refuseExtremes(): RequestHandler {
  return (req, _res, next) => {
    let level: unknown[] = [req.body];
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth > MAX_DEPTH) throw new AppError('MalformedRequest', `request: the body is nested more than ${MAX_DEPTH} levels deep`);
      if (level.some((value) => value === Infinity || value === -Infinity)) {
        throw new AppError('MalformedRequest', 'request: a number in the body is too large');
      }
      level = level.flatMap((value) => (isPlain(value) ? Object.values(value) : []));
    }
    next();
  };
}

function isPlain(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !Buffer.isBuffer(value);
}

/** Only forms; for routes that come before the other bodies are read. */
export function readForm(): RequestHandler {
  const parse: RequestHandler = (req, _res, next) => {
    if (Buffer.isBuffer(req.body)) req.body = fieldsOf(req.body);
    next();
  };
  return Router()
    .use(express.raw({ limit: LIMIT, type: FORM }))
    .use(parse);
}

function fieldsOf(body: Buffer): URLSearchParams {
  try {
    return new URLSearchParams(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new AppError('MalformedRequest', 'form: it is not UTF-8 text', { cause });
  }
}
