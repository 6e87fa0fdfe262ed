/** An image reference and its parts, as container runtimes read it: https://github.com/distribution/reference */
export interface ImageReference {
  /** As written: `registry.example.com/shop/web:1.2@sha256:…`. */
  readonly image: string;
  /** As written, without tag and digest. */
  readonly name: string;
  /** Absent for an image without one. */
  readonly tag?: string;
  /** `sha256:…`; absent for an image without one. */
  readonly digest?: string;
}

/** Where the name of an image points. */
export interface ImageLocation {
  /** `docker.io` where the reference names none. */
  readonly registry: string;
  /** Without registry, tag and digest: `library/nginx`. */
  readonly repository: string;
}

/** Takes a reference apart: `[host[:port]/]path[:tag][@digest]`. Any text has parts; none of them is checked. */
export function parseImage(image: string): ImageReference {
  const [tagged = '', digest] = image.split('@');
  const colon = tagged.lastIndexOf(':');
  const tag = colon > tagged.lastIndexOf('/') ? tagged.slice(colon + 1) : undefined;
  const name = tag === undefined ? tagged : tagged.slice(0, colon);
  return { image, name, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

/** The first part of a name is a registry when it looks like a host; without one, and for `index.docker.io`, it is Docker Hub. */
export function locateImage(name: string): ImageLocation {
  const slash = name.indexOf('/');
  const host = name.slice(0, Math.max(0, slash));
  const isHost = /[.:A-Z]/.test(host) || host === 'localhost';
  const registry = isHost ? host.toLowerCase() : 'docker.io';
  const path = isHost ? name.slice(slash + 1) : name;
  if (registry !== 'docker.io' && registry !== 'index.docker.io') return { registry, repository: path };
  return { registry: 'docker.io', repository: path.includes('/') ? path : `library/${path}` };
}
