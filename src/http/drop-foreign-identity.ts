import type { RequestHandler } from 'express';

const FOREIGN = /^(impersonate-|x-remote-)/i;

/** Drops the headers that name the actor to the api-server: nobody but our own transport sets them. */
export function dropForeignIdentity(): RequestHandler {
  return (req, _res, next) => {
    for (const name of Object.keys(req.headers)) {
      if (FOREIGN.test(name)) delete req.headers[name];
    }
    const kept = pairs(req.rawHeaders).filter(([name]) => !FOREIGN.test(name));
    req.rawHeaders.splice(0, req.rawHeaders.length, ...kept.flat());
    next();
  };
}

function pairs(raw: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) found.push([raw[index] ?? '', raw[index + 1] ?? '']);
  return found;
}
