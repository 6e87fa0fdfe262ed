import { bad } from '../setting/setting-values.ts';
import type { Json, KubeObject } from '../kubernetes/resource.ts';
import { locateImage, parseImage } from './image-reference.ts';
import { type Change, changeAt, changePodSpecs } from './pod-spec.ts';

/** Where images come from instead: `docker.io` and `mirror.example.com/hub`, both without a slash at the end. */
export interface ImageRewrite {
  /** A registry, and parts of the path below. */
  readonly prefix: string;
  readonly target: string;
}

/** What a rewrite made of an image. */
export interface RewrittenImage {
  /** As the chart has it. */
  readonly from: string;
  readonly to: string;
}

const SETTING = 'image-rewrite';
const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[\dA-Fa-f:]+\])(?::\d{1,5})?`;
const PART = String.raw`[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*`;
const LOCATION = new RegExp(`^${HOST}(?:/${PART})*$`);
const REFERENCE = new RegExp(String.raw`^(?:${HOST}/)?${PART}(?:/${PART})*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][\w+.-]*:[\dA-Fa-f]{32,128})?$`);
const MAX_REFERENCE = 500;

/**
 * Reads the values of the setting, `PREFIX=TARGET` each.
 *
 * @throws AppError `ConfigInvalid` for a prefix or target that is no registry with a path, for a prefix with two targets, and for a target that another rewrite
 *   changes again: what is rewritten must stay as it is.
 */
export function parseImageRewrites(texts: readonly string[]): readonly ImageRewrite[] {
  const rewrites = texts.map(rewriteOf);
  for (const [index, { prefix }] of rewrites.entries())
    if (rewrites.findIndex((other) => other.prefix === prefix) !== index)
      throw bad(SETTING, `the prefix "${prefix}" has more than one target`);
  for (const { prefix, target } of rewrites.filter(isChange)) {
    const again = rewrites.find((other) => isChange(other) && (isBelow(other.prefix, target) || longest(target, rewrites) === other));
    if (again !== undefined)
      throw bad(SETTING, `the target "${target}" of "${prefix}" is rewritten again by the prefix "${again.prefix}"; name the last target`);
  }
  return rewrites;
}

function rewriteOf(text: string): ImageRewrite {
  const at = text.indexOf('=');
  const [prefix, target] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)].map((side) => side.replace(/\/$/, ''));
  if (at < 1 || prefix === undefined || target === undefined)
    throw bad(SETTING, `${JSON.stringify(text)} is not PREFIX=TARGET, e.g. docker.io/=mirror.example.com/hub/`);
  return { prefix: locationOf('prefix', prefix), target: locationOf('target', target) };
}

function locationOf(side: 'prefix' | 'target', text: string): string {
  const [host = '', ...path] = text.split('/');
  const isHost = /[.:]/.test(host) || host === 'localhost';
  if (!isHost || text.length > MAX_REFERENCE || !LOCATION.test(text))
    throw bad(
      SETTING,
      `the ${side} ${JSON.stringify(text)} is not a registry with an optional path in lower case, e.g. docker.io/library or mirror.example.com:5000/hub`,
    );
  const registry = host.toLowerCase();
  return [registry === 'index.docker.io' ? 'docker.io' : registry, ...path].join('/');
}

/** The same prefix and target keep images where they are, below a shorter prefix that moves them. */
function isChange({ prefix, target }: ImageRewrite): boolean {
  return prefix !== target;
}

/** Whether a name is the prefix, or in whole parts below it. */
function isBelow(name: string, prefix: string): boolean {
  return name === prefix || name.startsWith(`${prefix}/`);
}

function longest(name: string, rewrites: readonly ImageRewrite[]): ImageRewrite | undefined {
  const matching = rewrites.filter(({ prefix }) => isBelow(name, prefix));
  return matching.sort((a, b) => b.prefix.length - a.prefix.length)[0];
}

/**
 * The image by the rewrite with the longest prefix, compared in whole parts with the full name (`docker.io/library/nginx` for `nginx`). Tag and digest stay. An image
 * without a rewrite, a text that is no image reference, and one that would become a registry alone or an official image of Docker Hub, stay as written. Rewriting
 * twice is the same as once.
 */
function rewriteImage(image: string, rewrites: readonly ImageRewrite[]): string {
  if (rewrites.length === 0 || image.length > MAX_REFERENCE || !REFERENCE.test(image)) return image;
  const { name } = parseImage(image);
  const full = fullName(name);
  const rewrite = longest(full, rewrites);
  if (rewrite === undefined || !isChange(rewrite)) return image;
  const to = `${rewrite.target}${full.slice(rewrite.prefix.length)}`;
  // With less than a registry and a path it would mean another image.
  return fullName(to) === to ? `${to}${image.slice(name.length)}` : image;
}

/** `docker.io/library/nginx` for `nginx`. */
function fullName(name: string): string {
  const { registry, repository } = locateImage(parseImage(name).name);
  return `${registry}/${repository}`;
}

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];

/** Rewrites the images of containers and image volumes in the pods that objects make. An object without a change is the very same one. */
export function rewriteImages(
  objects: readonly KubeObject[],
  rewrites: readonly ImageRewrite[],
): { readonly objects: readonly KubeObject[]; readonly rewritten: readonly RewrittenImage[] } {
  const rewritten = new Map<string, string>();
  const next = (value: Json | undefined): Json | undefined => {
    if (typeof value !== 'string') return value;
    const to = rewriteImage(value, rewrites);
    if (to !== value) rewritten.set(value, to);
    return to;
  };
  const changed = rewrites.length === 0 ? objects : changePodSpecs(objects, (spec) => rewritePodSpec(spec, next));
  return { objects: changed, rewritten: [...rewritten].map(([from, to]) => ({ from, to })) };
}

function rewritePodSpec(spec: Json | undefined, next: Change): Json | undefined {
  const inItems =
    (path: readonly string[]): Change =>
    (list) =>
      changeItems(list, (item) => changeAt(item, path, next));
  const containers = CONTAINERS.reduce((changed, name) => changeAt(changed, [name], inItems(['image'])), spec);
  return changeAt(containers, ['volumes'], inItems(['image', 'reference']));
}

function changeItems(list: Json | undefined, change: Change): Json | undefined {
  if (!Array.isArray(list)) return list;
  const items = list.map((item: Json) => change(item) ?? item);
  return items.every((item, index) => item === list[index]) ? list : items;
}
