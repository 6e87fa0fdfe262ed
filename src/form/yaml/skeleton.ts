import { editableYaml } from '../../domain/core/bounded-yaml.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { controlOf } from '../controls/controls.ts';
import { isMap, type YAMLMap } from 'yaml';
import { isScalar, isSecret, type FormModel, type FormNode, type GroupNode } from '../model/form-node.ts';
import { readYaml } from '../../schema/yaml-text.ts';
import { commentLines, joinComments } from './comments.ts';

const DEPTHS = [9, 6, 4, 3, 2, 1];
const MAX_CHARACTERS = 96 * 1024;
const MAX_HELP_LENGTH = 160;

/**
 * Adds to a YAML text, as comments, every field that it does not have: what it means, and its default or what it takes. A field is written by taking
 * the `#` away. The deepest fields are left out where there are too many. A text that cannot be read comes back as it is.
 *
 * @param within the member of the text that holds the values: `spec` in a whole resource.
 */
export function withSkeleton({ root }: FormModel, text: string, within?: string): string {
  // With comments it would only be longer.
  if (text.length > MAX_CHARACTERS) return text;
  if (root.kind !== 'group' || readYaml(text).fault !== undefined) return text;
  for (const depth of DEPTHS) {
    const full = fill(root, text, { within, depth });
    if (full.length <= MAX_CHARACTERS) return full;
  }
  return text;
}

function fill(root: GroupNode, text: string, { within, depth }: { readonly within: string | undefined; readonly depth: number }): string {
  const document = editableYaml(text);
  const known = new Set(commentLines(text));
  const map: unknown = within === undefined ? document.contents : document.get(within, true);
  if (!isMap(map) || map.items.length === 0) {
    const comments = commentsFor(root.children, { depth, known });
    return `${text.trim() === '{}' ? '' : ended(text)}${comments.map((comment) => `#${comment}\n`).join('')}`;
  }
  const added = addTo(map, root, { depth, known });
  return added === 0 ? text : document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

interface Filling {
  readonly depth: number;
  /** The comments that are there already, each without its `#`. */
  readonly known: ReadonlySet<string>;
}

/** The number of lines that were added. */
function addTo(map: YAMLMap, group: GroupNode, { depth, known }: Filling): number {
  const absent: FormNode[] = [];
  let added = 0;
  for (const child of group.children) {
    const value: unknown = map.get(child.key, true);
    if (!map.has(child.key)) absent.push(child);
    else if (child.kind === 'group' && isMap(value) && value.flow !== true) added += addTo(value, child, { depth: depth - 1, known });
  }
  const comments = commentsFor(absent, { depth, known });
  if (comments.length > 0) map.comment = joinComments([map.comment, ...comments]);
  return added + comments.length;
}

/** Nothing when all of it is there already. */
function commentsFor(nodes: readonly FormNode[], { depth, known }: Filling): string[] {
  const comments = linesOf(nodes, depth).map((line) => (line.startsWith('#') ? line.slice(1) : ` ${line}`));
  return comments.every((comment) => known.has(comment)) ? [] : comments;
}

function linesOf(nodes: readonly FormNode[], depth: number): string[] {
  return nodes.flatMap((node) => [...helpOf(node), ...entryOf(`${keyOf(node.key)}:`, node, depth)]);
}

/** The lines of a field whose key, or whose dash, is written already. */
function entryOf(head: string, node: FormNode, depth: number): string[] {
  if (node.fallback !== undefined && !isSecret(node)) return [`${head} ${stringifyJson(node.fallback)}`];
  if (depth <= 1 || isScalar(node)) return [`${head} # ${wordsFor(node)}`];
  if (node.kind === 'group' && node.children.length > 0) return [head, ...indented(linesOf(node.children, depth - 1))];
  if (node.kind === 'map') return [head, ...indented(entryOf('KEY:', node.value, depth - 1))];
  if (node.kind === 'list') return [head, ...indented(rowOf(node.item, depth - 1))];
  return [`${head} # ${wordsFor(node)}`];
}

function rowOf(item: FormNode, depth: number): string[] {
  if (item.kind !== 'group' || depth <= 1 || item.children.length === 0) return [`- # ${wordsFor(item)}`];
  return linesOf(item.children, depth - 1).map((line, index) => `${index === 0 ? '-' : ' '} ${line}`);
}

function wordsFor(node: FormNode): string {
  if (isScalar(node)) return controlOf(node).takes(node).slice(0, MAX_HELP_LENGTH);
  if (node.kind === 'choice') return `one of: ${node.branches.map(({ label }) => label).join(', ')}`.slice(0, MAX_HELP_LENGTH);
  if (node.kind === 'yaml') return 'anything';
  return node.kind === 'list' ? 'a list' : 'keys and values';
}

/** One line of help: hostile text, which must not end the comment. */
function helpOf(node: FormNode): string[] {
  const text = node.help.summary.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const words = [text.slice(0, MAX_HELP_LENGTH), node.required ? 'Required.' : ''].filter((part) => part !== '').join(' ');
  return words === '' ? [] : [`# ${words}`];
}

function keyOf(key: string): string {
  return /^[A-Za-z_][\w.-]*$/.test(key) ? key : JSON.stringify(key);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
