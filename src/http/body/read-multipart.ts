import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import { type BodyLimit, hasBody, receive } from './receive.ts';

/** A file that came with a form. */
export interface Upload {
  /** Without folders; as the browser says, so not to be trusted. Empty where no file was chosen. */
  readonly fileName: string;
  readonly bytes: Buffer;
  /** Whether it was larger than is read of one; `bytes` is its beginning then. */
  readonly truncated: boolean;
}

interface MultipartLimits {
  /** Bytes of one input. */
  readonly field: number;
  readonly fields: number;
  /** Bytes of the file. */
  readonly file: number;
  /** Bytes of everything. */
  readonly all: number;
  /** What a rejection ends with. */
  readonly advice: string;
}

const TYPE = 'multipart/form-data';

const uploads = new WeakMap<object, Upload>();

/** The file that came with a request; undefined without one. */
export function uploadOf(request: Request): Upload | undefined {
  return uploads.get(request);
}

/** Reads a form that was sent with a file: `req.body` as of any other form, the file apart. Nothing is written to disk, and a second file is ignored. */
export function readMultipart(limits: MultipartLimits): RequestHandler {
  const limit: BodyLimit = {
    bytes: limits.all,
    tooLarge: () => tooLarge(limits, `it is larger than ${Math.round(limits.all / 1024 / 1024)} MiB`),
  };
  return async (req, res, next) => {
    if (!hasBody(req) || typeof req.is(TYPE) !== 'string') return next();
    const fields = new URLSearchParams();
    const parts = partsOf(req, { limits, fields });
    await Promise.all([receive(req, res, limit, parts.write).then(parts.end), parts.ended]);
    req.body = fields;
    next();
  };
}

interface Parts {
  /** Takes the next piece. @throws AppError when the form was found to be wrong. */
  write(piece: Buffer): void;
  end(): void;
  /** All fields and the file have been read. */
  readonly ended: Promise<void>;
}

function partsOf(req: Request, { limits, fields }: { readonly limits: MultipartLimits; readonly fields: URLSearchParams }): Parts {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let failure: AppError | undefined;
  const fail = (error: AppError): void => {
    failure ??= error;
    reject(failure);
  };
  const malformed = (cause: unknown): void =>
    fail(new AppError('MalformedRequest', 'form: its multipart boundaries are invalid', { cause }));
  // The other promise tells the same.
  ended.catch(() => undefined);
  const parser = start(() => parserOf(req, limits));
  collect(parser, { req, fields, fail: (what) => fail(tooLarge(limits, what)) });
  for (const name of ['fieldsLimit', 'partsLimit'] as const)
    parser.on(name, () => fail(tooLarge(limits, `it has more than ${limits.fields} fields`)));
  parser.on('error', malformed);
  parser.on('finish', resolve);
  return {
    ended,
    end: () => void parser.end(),
    write: (piece) => {
      if (failure !== undefined) throw failure;
      parser.write(piece);
    },
  };
}

/** It throws when the type does not say what parts the form. */
function start(make: () => BusboyInstance): BusboyInstance {
  try {
    return make();
  } catch (cause) {
    throw new AppError('MalformedRequest', 'form: its multipart boundaries are invalid', { cause });
  }
}

function parserOf(req: Request, limits: MultipartLimits): BusboyInstance {
  return new Busboy({
    headers: { ...req.headers, 'content-type': req.get('Content-Type') ?? '' },
    isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    limits: {
      fieldSize: limits.field,
      fields: limits.fields,
      files: 1,
      fileSize: limits.file,
      parts: limits.fields + 2,
      headerPairs: 16,
    },
  });
}

interface Collecting {
  readonly req: Request;
  readonly fields: URLSearchParams;
  readonly fail: (what: string) => void;
}

function collect(parser: BusboyInstance, { req, fields, fail }: Collecting): void {
  parser.on('field', (name, value, _nameTruncated, valueTruncated) => {
    if (valueTruncated) fail('an input of it is too long');
    else fields.append(name, value);
  });
  parser.on('file', (_name, stream, fileName) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      uploads.set(req, { fileName: fileName ?? '', bytes: Buffer.concat(chunks), truncated: stream.truncated });
    });
  });
}

function tooLarge({ advice }: MultipartLimits, what: string): AppError {
  return new AppError('TooLarge', `form: ${what}. ${advice}`);
}
