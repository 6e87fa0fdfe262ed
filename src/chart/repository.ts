import semver from 'semver';
import { parseYamlDocument, YAML_BOUNDS } from '../domain/bounded-yaml.ts';
import { messageOf } from '../domain/errors.ts';
import type { Json } from '../domain/resource.ts';
import { chartError } from './chart-error.ts';

/** A version of a chart that a repository offers. */
export interface OfferedVersion {
  readonly version: string;
  /** Where it is; relative to the repository where it says no more. */
  readonly address: string;
  /** `sha256:<hex>`, where the repository tells. */
  readonly digest?: string;
}

/**
 * The versions of a chart in the text of an index.yaml, newest first. Only the chart's own part is parsed: the index of a large repository has
 * hundreds of thousands of lines.
 *
 * @throws AppError `ChartInvalid` when it is no index, `ChartNotFound` when the chart is not in it.
 */
export function versionsInIndex(text: string, repoURL: string, name: string): OfferedVersion[] {
  const entries = entriesOf(text, repoURL, name);
  if (entries === undefined)
    throw chartError('ChartNotFound', repoURL, `the repository holds no chart named ${JSON.stringify(name)}; check the name`);
  return newestFirst(
    entries.flatMap((entry) => {
      const { version, urls, digest } = isMap(entry) ? entry : {};
      const [address] = Array.isArray(urls) ? (urls as readonly Json[]) : [];
      if (typeof version !== 'string' || typeof address !== 'string') return [];
      const isDigest = typeof digest === 'string' && /^(sha256:)?[0-9a-f]{64}$/i.test(digest);
      return [{ version, address, ...(isDigest ? { digest: normalDigest(digest) } : {}) }];
    }),
  );
}

/**
 * The offer that fits: the version itself, or the newest of a range (`^1.2`), or the newest released one when no version is asked for.
 *
 * @throws AppError `ChartNotFound` that names the newest versions there are.
 */
export function chooseVersion(
  offers: readonly OfferedVersion[],
  wanted: string,
  what: { readonly repoURL: string; readonly name: string },
): OfferedVersion {
  const plain = (version: string) => version.replace(/^v/, '');
  const exact = offers.find((offer) => plain(offer.version) === plain(wanted));
  const range = wanted === '' ? '*' : wanted;
  const fitting = offers.find((offer) => semver.satisfies(offer.version, range, { loose: true }));
  const chosen = exact ?? fitting ?? (wanted === '' ? offers[0] : undefined);
  if (chosen !== undefined) return chosen;
  const there = offers.slice(0, 5).map((offer) => offer.version);
  const known = there.length === 0 ? 'there is no version of it' : `the newest ones are ${there.join(', ')}`;
  throw chartError(
    'ChartNotFound',
    what.repoURL,
    `there is no version ${JSON.stringify(wanted)} of the chart ${JSON.stringify(what.name)}; ${known}`,
  );
}

export function newestFirst(offers: readonly OfferedVersion[]): OfferedVersion[] {
  return offers
    .filter((offer) => semver.valid(offer.version, { loose: true }) !== null)
    .sort((a, b) => semver.rcompare(a.version, b.version, { loose: true }));
}

/** `sha256:<hex>` in lower case, with or without the prefix before. */
export function normalDigest(digest: string): string {
  return `sha256:${digest.toLowerCase().replace(/^sha256:/, '')}`;
}

function entriesOf(text: string, repoURL: string, name: string): readonly Json[] | undefined {
  const index = parseIndex(text, repoURL, name);
  const entries = isMap(index) ? index['entries'] : undefined;
  if (!isMap(entries)) throw chartError('ChartInvalid', repoURL, 'its index.yaml has no entries, so it is no chart repository');
  const found = Object.hasOwn(entries, name) ? entries[name] : undefined;
  return Array.isArray(found) ? (found as readonly Json[]) : undefined;
}

function parseIndex(text: string, repoURL: string, name: string): Json {
  try {
    return text.trimStart().startsWith('{') ? (JSON.parse(text) as Json) : parseYamlDocument(partOf(text, name) ?? text, YAML_BOUNDS);
  } catch (error) {
    throw chartError('ChartInvalid', repoURL, `its index.yaml cannot be read: ${messageOf(error).replace(/^yaml: /, '')}`, error);
  }
}

/** The lines of one chart, below an `entries:` of their own; undefined when the index is not laid out as Helm writes it. */
function partOf(text: string, name: string): string | undefined {
  const head = /^entries:[ \t]*\r?\n( +)(?=[^\s-])/m.exec(text);
  if (head === null) return undefined;
  const indent = head[1] ?? '';
  const body = text.slice(head.index);
  const start = new RegExp(`^${indent}["']?${RegExp.escape(name)}["']?:[ \\t]*\\r?$`, 'm').exec(body);
  if (start === null) return 'entries: {}';
  const rest = body.slice(start.index + start[0].length);
  const end = new RegExp(`^ {0,${indent.length}}[^ \\t\\r\\n#-]`, 'm').exec(rest);
  return `entries:\n${start[0]}${rest.slice(0, end?.index ?? rest.length)}`;
}

function isMap(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
