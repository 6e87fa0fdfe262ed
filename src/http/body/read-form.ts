import express, { Router, type RequestHandler } from 'express';
import { AppError } from '../domain/errors.ts';
import { readMultipart } from './read-multipart.ts';
import { reviveExactly } from '../domain/exact-json.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPES = ['application/json', 'application/*+json'];
const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml'];
const LIMIT = '1mb';
/** A form spells each byte of what the cluster can store, at most 1.5 MiB, with up to three characters, and names each field. */
const FORM_LIMIT = '5mb';
const MOST_FIELDS = 20_000;
const TOO_LARGE =
  'Nothing was written, and your browser still has what you typed: go back, and take long values out or send it with the API';
/** A file of YAML is as large as the text of a form may be. */
const MULTIPART = { field: 5 * 1024 * 1024, fields: MOST_FIELDS, file: 256 * 1024, all: 8 * 1024 * 1024, advice: TOO_LARGE };
const MAX_DEPTH = 100;
const AND = '&';

/**
 * Reads the body into `req.body`: a form as URLSearchParams (every field, in order, as often as it came), JSON as an object or a list,
 * YAML as text; of a form with a file `uploadOf` has the file. Other bodies are not read, and `req.body` stays undefined.
 */
export function readBody(): RequestHandler {
  return Router()
    .use(express.json({ limit: LIMIT, type: JSON_TYPES, strict: true, reviver: reviveExactly }))
    .use(refuseExtremes())
    .use(express.text({ limit: LIMIT, type: YAML_TYPES }))
    .use(readForm(FORM_LIMIT))
    .use(readMultipart(MULTIPART));
}

interface Spot {
  readonly value: unknown;
  /** The names above it, with dots between. */
  readonly field: string;
}

/** What no resource needs and what would end the stack, and numbers that would not be the same any more on their way to the cluster. */
function refuseExtremes(): RequestHandler {
  return (req, _res, next) => {
    let level: Spot[] = [{ value: req.body, field: '' }];
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth > MAX_DEPTH) throw new AppError('MalformedRequest', `request: the body is nested more than ${MAX_DEPTH} levels deep`);
      const lost = level.find(({ value }) => typeof value === 'number' && !Number.isFinite(value));
      if (lost !== undefined) throw inexact(lost.field);
      level = level.flatMap(membersOf);
    }
    next();
  };
}

function membersOf({ value, field }: Spot): Spot[] {
  if (Array.isArray(value)) return value.map((item, index) => ({ value: item as unknown, field: `${field}[${index}]` }));
  if (!isPlain(value)) return [];
  return Object.entries(value).map(([key, member]) => ({ value: member as unknown, field: field === '' ? key : `${field}.${key}` }));
}

function inexact(field: string): AppError {
  const message = 'this number is too large, or has more digits than can be kept exactly; send fewer, or text where the schema takes it';
  return new AppError('InvalidInput', `${field}: ${message}`, { faults: [{ field, message }] });
}

function isPlain(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !Buffer.isBuffer(value);
}

/** Only forms; for routes that come before the other bodies are read. */
export function readForm(limit = LIMIT): RequestHandler {
  const read = express.raw({ limit, type: FORM });
  const parse: RequestHandler = (req, _res, next) => {
    if (Buffer.isBuffer(req.body)) req.body = fieldsOf(req.body);
    next();
  };
  return Router()
    .use((req, res, next) => {
      read(req, res, (error: unknown) => next(tooLarge(error, limit)));
    })
    .use(parse);
}

function tooLarge(error: unknown, limit: string): unknown {
  const isLimit = error instanceof Error && 'status' in error && error.status === 413;
  if (!isLimit) return error;
  return new AppError('TooLarge', `form: it is larger than ${limit.replace('mb', ' MiB')}. ${TOO_LARGE}`, { cause: error });
}

function countFields(body: Buffer): number {
  let count = 1;
  for (let at = body.indexOf(AND); at >= 0 && count <= MOST_FIELDS; at = body.indexOf(AND, at + 1)) count += 1;
  return count;
}

function fieldsOf(body: Buffer): URLSearchParams {
  if (countFields(body) > MOST_FIELDS) throw new AppError('TooLarge', `form: it has more than ${MOST_FIELDS} fields. ${TOO_LARGE}`);
  try {
    return new URLSearchParams(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (cause) {
    throw new AppError('MalformedRequest', 'form: it is not UTF-8 text', { cause });
  }
}
