import type { RequestHandler } from 'express';

/** Long enough for a browser to send the rest of a form, so that it reads the answer instead of a broken connection. */
const DRAIN_MS = 5_000;

/**
 * What is left of a body when the answer is out is thrown away as it comes, and the connection ends when that takes long: nobody is waited for who was
 * rejected.
 */
export function dropUnread(): RequestHandler {
  return (req, res, next) => {
    res.once('finish', () => {
      if (req.complete) return;
      const timer = setTimeout(() => req.socket.destroy(), DRAIN_MS).unref();
      const done = (): void => clearTimeout(timer);
      req.once('end', done).once('close', done);
      req.resume();
    });
    next();
  };
}
