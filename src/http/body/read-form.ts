import { Router, type RequestHandler } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import { createFormDecoder, type FormDecoder } from './decode-form.ts';
import { readMultipart } from './read-multipart.ts';
import { type BodyLimit, hasBody, receive } from './receive.ts';

const FORM = 'application/x-www-form-urlencoded';
const MIB = 1024 * 1024;
const MAX_FIELDS = 10_000;
const TOO_LARGE = 'Nothing was written, and your browser still has your entries: go back and remove long values, or use the API';
/** A form spells each byte of what the cluster can store, at most 1.5 MiB, with up to three characters, and names each field. */
const FORM_BYTES = 5 * MIB;
/** The archive of a chart; a file of YAML is checked for less where it is read. */
const MULTIPART = { field: 5 * MIB, fields: MAX_FIELDS, file: MIB, all: 8 * MIB, advice: TOO_LARGE };

/** Reads the forms of pages: `req.body` is a URLSearchParams, every field in order, as often as it came; of one with a file `uploadOf` has the file. */
export function readForms(): RequestHandler {
  return Router().use(readForm(FORM_BYTES)).use(readMultipart(MULTIPART));
}

/** Only forms without a file, of so many bytes. */
export function readForm(maxBytes: number): RequestHandler {
  const size = maxBytes < MIB ? `${maxBytes / 1024} KiB` : `${maxBytes / MIB} MiB`;
  const limit: BodyLimit = {
    bytes: maxBytes,
    tooLarge: () => new AppError('TooLarge', `form: it is larger than ${size}. ${TOO_LARGE}`),
  };
  return async (req, res, next) => {
    if (!hasBody(req) || typeof req.is(FORM) !== 'string') return next();
    const decoder = createFormDecoder();
    await receive(req, res, limit, (piece) => decoded(() => decoder.write(piece), decoder));
    req.body = decoded(() => decoder.end(), decoder);
    next();
  };
}

function decoded<T>(step: () => T, decoder: FormDecoder): T {
  const result = whenUtf8(step);
  if (decoder.fields() <= MAX_FIELDS) return result;
  throw new AppError('TooLarge', `form: it has more than ${MAX_FIELDS} fields. ${TOO_LARGE}`);
}

function whenUtf8<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new AppError('MalformedRequest', 'form: it is not UTF-8 text', { cause });
  }
}
