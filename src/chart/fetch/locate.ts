import { chartError } from '../chart-error.ts';

/** An address prefix that the admin has mapped to a folder or another address. */
export interface Mirror {
  readonly prefix: string;
  /** An absolute path of a folder, or an http or https address. */
  readonly target: string;
}

/** Where the bytes of an address really are. */
export type Place =
  | {
      readonly kind: 'folder';
      readonly root: string;
      /** As in the address: percent-encoded. */ readonly path: string;
      readonly via: string;
    }
  | {
      readonly kind: 'remote';
      readonly url: URL;
      /** The admin named this origin, so the egress policy does not ask. */ readonly trust: 'admin' | 'policy';
    }
  | { readonly kind: 'registry'; readonly url: URL };

export interface Locations {
  /** Folders by the name that stands as the host of a `file:` address. */
  readonly roots: Readonly<Record<string, string>>;
  readonly mirrors: readonly Mirror[];
}

/**
 * Finds the place of an address: a configured root, the mirror with the longest prefix, or the network.
 *
 * @throws AppError `ChartUnreachable` for an address that no transport of ours reaches, `EgressDenied` for one that is not https.
 */
export function locate(address: string, locations: Locations): Place {
  const url = URL.parse(address);
  if (url === null)
    throw chartError('ChartUnreachable', address, 'this is not an address; write it like https://example.com/chart-1.0.0.tgz');
  const mirrored = throughMirror(url, locations.mirrors);
  if (mirrored !== undefined) return mirrored;
  switch (url.protocol) {
    case 'https:':
      return { kind: 'remote', url, trust: locations.mirrors.some((mirror) => isTarget(mirror, url)) ? 'admin' : 'policy' };
    case 'http:':
      if (locations.mirrors.some((mirror) => isTarget(mirror, url))) return { kind: 'remote', url, trust: 'admin' };
      throw chartError('EgressDenied', address, 'charts come by https only; use an https address, or map this one with --mirror');
    case 'file:':
      return inRoot(url, locations.roots);
    case 'oci:':
      return { kind: 'registry', url };
    default:
      throw chartError('ChartUnreachable', address, `the scheme ${url.protocol} is not known; use https, or file for a configured root`);
  }
}

function throughMirror(url: URL, mirrors: readonly Mirror[]): Place | undefined {
  const address = url.href;
  const matches = mirrors.map((mirror) => ({ mirror, rest: remainder(address, mirror.prefix) })).filter(hasRest);
  const [best] = matches.sort((a, b) => b.mirror.prefix.length - a.mirror.prefix.length);
  if (best === undefined) return undefined;
  const { target } = best.mirror;
  const path = best.rest.replace(/[?#].*$/s, '');
  const base = URL.parse(target);
  if (base === null || (base.protocol !== 'http:' && base.protocol !== 'https:')) {
    return { kind: 'folder', root: target.replace(/^file:\/\//, ''), path, via: best.mirror.prefix };
  }
  const joined = path === '' ? base : URL.parse(path.replace(/^\/+/, ''), target.endsWith('/') ? target : `${target}/`);
  // A remainder such as `//elsewhere` or `https:…` must not lead away from the target.
  if (joined === null || joined.origin !== base.origin) throw chartError('ChartUnreachable', address, 'the mirror cannot serve this path');
  return { kind: 'remote', url: joined, trust: 'admin' };
}

interface Match {
  readonly mirror: Mirror;
  readonly rest: string;
}

function hasRest(match: { readonly mirror: Mirror; readonly rest: string | undefined }): match is Match {
  return match.rest !== undefined;
}

/** What follows the prefix, when the address begins with it and the prefix ends between two path segments. */
function remainder(address: string, prefix: string): string | undefined {
  const normal = URL.parse(prefix)?.href ?? prefix;
  if (!address.startsWith(normal)) return address === normal.replace(/\/$/, '') ? '' : undefined;
  const rest = address.slice(normal.length);
  return normal.endsWith('/') || rest === '' || /^[/?#]/.test(rest) ? rest : undefined;
}

/** Whether the address is below a mirror's own target, which the admin vouches for. */
function isTarget(mirror: Mirror, url: URL): boolean {
  const target = URL.parse(mirror.target);
  return target !== null && target.protocol.startsWith('http') && remainder(url.href, target.href) !== undefined;
}

function inRoot(url: URL, roots: Readonly<Record<string, string>>): Place {
  const name = url.hostname;
  const root = Object.entries(roots).find(([known]) => known.toLowerCase() === name)?.[1];
  if (root !== undefined) return { kind: 'folder', root, path: url.pathname, via: `file://${name}/` };
  if (name === 'uploaded')
    throw chartError('ChartNotFound', url.href, 'no chart of this name and version was uploaded; upload it, or correct the address');
  const known = Object.keys(roots).sort().join(', ');
  throw chartError(
    'ChartUnreachable',
    url.href,
    `there is no root named ${JSON.stringify(name)}; the configured ones are: ${known || 'none'}`,
  );
}
