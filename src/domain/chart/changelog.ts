import { parseYamlDocument, YAML_BOUNDS } from '../core/bounded-yaml.ts';
import { isObject, textAt } from '../core/read.ts';

/** The kinds of changes that Artifact Hub defines. */
export const CHANGE_KINDS = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Changelog of one version of a chart: the annotations `artifacthub.io/…` of its Chart.yaml. Untrusted text. */
export interface Changelog {
  /** In their order, at most 50. */
  readonly changes: readonly { readonly kind?: ChangeKind; readonly description: string }[];
  /** Pages that the authors name, at most 20; each address is one of http or https. */
  readonly links: readonly { readonly name: string; readonly url: string }[];
  /** Images that the version uses, as the authors say, at most 50. */
  readonly images: readonly string[];
  readonly containsSecurityUpdates: boolean;
  readonly prerelease: boolean;
}

const MAX_CHANGES = 50;
const MAX_LINKS = 20;
const MAX_IMAGES = 50;
const MAX_LENGTH = 300;
const BOUNDS = { ...YAML_BOUNDS, maxCharacters: 64 * 1024, maxDepth: 8 };

/**
 * Reads the annotations of a Chart.yaml. What cannot be read is left out.
 *
 * @returns undefined when the version says nothing.
 */
export function changelogOf(annotations: unknown): Changelog | undefined {
  const says = (name: string): boolean => textAt(annotations, `artifacthub.io/${name}`)?.trim() === 'true';
  const changes = changesIn(textAt(annotations, 'artifacthub.io/changes') ?? '');
  const [links, images] = [
    linksIn(textAt(annotations, 'artifacthub.io/links') ?? ''),
    imagesIn(textAt(annotations, 'artifacthub.io/images') ?? ''),
  ];
  const changelog = { changes, links, images, containsSecurityUpdates: says('containsSecurityUpdates'), prerelease: says('prerelease') };
  const isEmpty = [changes, links, images].every(({ length }) => length === 0);
  return isEmpty && !changelog.containsSecurityUpdates && !changelog.prerelease ? undefined : changelog;
}

/** A list of sentences, or of maps with a kind and a description. */
function changesIn(text: string): Changelog['changes'] {
  const list = readList(text);
  return list.slice(0, MAX_CHANGES).flatMap((change) => {
    const description = (isObject(change) ? textAt(change, 'description') : typeof change === 'string' ? change : undefined)?.trim() ?? '';
    if (description === '') return [];
    const kind = CHANGE_KINDS.find((known) => known === textAt(change, 'kind'));
    return [{ ...(kind === undefined ? {} : { kind }), description: description.slice(0, MAX_LENGTH) }];
  });
}

function linksIn(text: string): Changelog['links'] {
  return readList(text)
    .slice(0, MAX_LINKS)
    .flatMap((link) => {
      const url = URL.parse(textAt(link, 'url') ?? '');
      if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MAX_LENGTH) return [];
      const name = (textAt(link, 'name') ?? '').trim().slice(0, MAX_LENGTH);
      return [{ name: name === '' ? url.href : name, url: url.href }];
    });
}

function imagesIn(text: string): Changelog['images'] {
  return readList(text)
    .slice(0, MAX_IMAGES)
    .flatMap((image) => {
      const address = (textAt(image, 'image') ?? '').trim();
      return address === '' ? [] : [address.slice(0, MAX_LENGTH)];
    });
}

function readList(text: string): readonly unknown[] {
  try {
    const value = parseYamlDocument(text, BOUNDS);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
