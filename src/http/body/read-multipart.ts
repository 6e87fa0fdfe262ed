import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Request, RequestHandler } from 'express';
import { AppError, isAppError } from '../domain/errors.ts';

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
  /** What a refusal ends with. */
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
  return (req, _res, next) => {
    if (req.is(TYPE) === false || req.is(TYPE) === null) return next();
    receive(req, limits).then(
      () => next(),
      (error: unknown) => {
        // Whoever is still sending hears the answer once they have sent it all.
        req.unpipe();
        req.resume();
        next(isAppError(error) ? error : new AppError('MalformedRequest', 'form: its parts cannot be told apart', { cause: error }));
      },
    );
  };
}

async function receive(req: Request, limits: MultipartLimits): Promise<void> {
  const tooLong = (): AppError => tooLarge(limits, `it is larger than ${Math.round(limits.all / 1024 / 1024)} MiB`);
  if (Number(req.get('Content-Length') ?? 0) > limits.all) throw tooLong();
  const fields = new URLSearchParams();
  await new Promise<void>((resolve, reject) => {
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.all) reject(tooLong());
    });
    req.on('error', reject);
    const parser = parserOf(req, limits);
    collect(parser, { req, fields, refuse: (what) => reject(tooLarge(limits, what)) });
    for (const limit of ['fieldsLimit', 'partsLimit'] as const)
      parser.on(limit, () => reject(tooLarge(limits, `it has more than ${limits.fields} fields`)));
    parser.on('error', reject);
    parser.on('finish', resolve);
    req.pipe(parser);
  });
  req.body = fields;
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
  readonly refuse: (what: string) => void;
}

function collect(parser: BusboyInstance, { req, fields, refuse }: Collecting): void {
  parser.on('field', (name, value, _nameTruncated, valueTruncated) => {
    if (valueTruncated) refuse('an input of it is too long');
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
