import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Router } from 'express';

/** The static files of the pages, held in memory. */
export interface Assets {
  /** The address of a file, which changes when any static file changes. Throws for a file that does not exist. */
  url(file: string): string;
  /** Serves `/static/…`. */
  readonly router: Router;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
  webmanifest: 'application/manifest+json; charset=utf-8',
};
const STYLE_SHEET = 'css/chandlery.css';

/**
 * Reads a folder of static files. The style sheets under `css/` are also served as one, `css/chandlery.css`: tokens, base, layout, then the
 * rest by name; their `@layer`s decide what wins, not this order.
 */
export function readAssets(folder: string): Assets {
  const files = new Map<string, Buffer>(
    readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile() && path.extname(entry.name).slice(1) in TYPES)
      .map((entry) => path.join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [path.relative(folder, file).split(path.sep).join('/'), readFileSync(file)]),
  );
  files.set(STYLE_SHEET, joinStyles(files));
  const digest = digestOf(files);
  return {
    url(file) {
      if (!files.has(file)) throw new Error(`asset "${file}": no such file in ${folder}`);
      return `/static/${digest}/${file}`;
    },
    router: assetRouter(files, digest),
  };
}

function joinStyles(files: ReadonlyMap<string, Buffer>): Buffer {
  const first = ['css/tokens.css', 'css/base.css', 'css/layout.css'];
  const rest = [...files.keys()].filter((file) => file.endsWith('.css') && !first.includes(file));
  return Buffer.concat([...first, ...rest].map((file) => files.get(file) ?? Buffer.alloc(0)));
}

function digestOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256');
  for (const [name, content] of files) hash.update(`${name}\0${content.length}\0`).update(content);
  return hash.digest('hex').slice(0, 12);
}

function assetRouter(files: ReadonlyMap<string, Buffer>, digest: string): Router {
  const router = Router();
  router.get('/static/:digest/*file', (request, response, next) => {
    const file = [request.params.file].flat().join('/');
    const content = files.get(file);
    if (content === undefined) return next();
    // Another release's address, as a rolling update sees it, gets today's file but may not keep it.
    const cache = request.params.digest === digest ? 'public, max-age=31536000, immutable' : 'no-cache';
    response.set('Cache-Control', cache).type(TYPES[path.extname(file).slice(1)] ?? 'application/octet-stream');
    return response.send(content);
  });
  return router;
}
