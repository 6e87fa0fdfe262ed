import type { RequestHandler } from 'express';
import { AppError } from '../../domain/core/errors.ts';

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
