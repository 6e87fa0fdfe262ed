import type { NodeBase } from '../model/field.ts';
import type { FormNode } from '../model/form-node.ts';
import {
  CLUSTER_ISSUERS,
  groupTarget,
  hasKeys,
  ISSUERS,
  NAMED_KINDS,
  ofKind,
  type Reference,
  type ReferenceTarget,
  SECRETS,
  targetInWords,
  textTarget,
  VALUES_OBJECTS,
  withoutSuffix,
} from './reference-targets.ts';
import type { TextNode } from '../controls/text.ts';
import { type FormPath, parsePath } from '../../schema/form-path.ts';
import { OURS } from '../../domain/kubernetes/names.ts';

/** What a reference is made of; a group with other members beside `name` is something of its own that has a name. */
const MEMBERS = new Set(
  'name key optional namespace kind group apiGroup apiVersion uid fieldPath resourceVersion audiences items defaultMode'.split(' '),
);
const SAYS_KEY = /\bkey\b.{0,60}\b(secret|config ?map)\b|\bsecret key\b/i;
const SAYS_CONFIG_MAP = /\bconfig ?maps?\b/i;
const CREDENTIAL = /(credentials?|password|token|access[_-]?key)$/i;
/** So many names of one group are tried for each of its keys. */
const MAX_HOLDERS = 50;
const SAYS_NAME = /\b(name|reference|refers?|existing|use)\b/i;

/**
 * The members of a group, with those marked that name another object or a key of it: `{name, key}` and `{name}` of a group that is called after
 * what it points to, texts such as `secretName`, and rows of such texts. What is marked stays a text: any value remains possible.
 *
 * @param kinds the kinds of the catalogue that may be meant.
 */
export function markReferences(group: NodeBase, children: readonly FormNode[], kinds: readonly ReferenceTarget[]): FormNode[] {
  const whole = wholeTarget(group, children, kinds);
  const named = children.map((child) =>
    child.key === 'name' && whole !== undefined ? marked(child, { to: whole, part: 'name' }) : markText(child, kinds),
  );
  const holders = keyHolders(named);
  if (holders.length === 0) return named;
  const keyed = named.map((child) => markKey(child, holders));
  const keys = Map.groupBy(keyed, (child) => (child.kind === 'text' && child.reference?.part === 'key' ? child.reference.of : undefined));
  return keyed.map((child) => withItsKey(child, keys.get(child.key) ?? []));
}

/** What a group is a reference to. Rows of a list go by the name of the list. */
function wholeTarget(group: NodeBase, children: readonly FormNode[], kinds: readonly ReferenceTarget[]): ReferenceTarget | undefined {
  const isReference = children.some(({ key }) => key === 'name') && children.every(({ key }) => MEMBERS.has(key));
  if (!isReference) return undefined;
  const own = group.key === '' ? (group.path.at(-2) ?? '').replace(/s$/, '') : group.key;
  const withKey = children.some(({ key }) => key === 'key');
  const texts = [group, ...children].map(wordsOf);
  return groupTarget(own, texts[0] ?? '', kinds) ?? (withKey ? keyedTarget(group, own, texts.join(' ')) : undefined);
}

/** `{name, key}` whose name says nothing of a kind: what its words speak of; where they speak of nothing, credentials come from Secrets. */
function keyedTarget(group: NodeBase, own: string, words: string): ReferenceTarget | undefined {
  const isCredential = [own, group.path.at(-2) ?? ''].some((name) => CREDENTIAL.test(name));
  return targetInWords(words) ?? (isCredential && !SAYS_CONFIG_MAP.test(words) ? SECRETS : undefined);
}

function markText(node: FormNode, kinds: readonly ReferenceTarget[]): FormNode {
  if (node.kind === 'list') {
    const to = node.item.kind === 'text' ? textTargetOf(node.item, node.key.replace(/s$/, ''), { words: wordsOf(node), kinds }) : undefined;
    return to === undefined ? node : { ...node, item: marked(node.item, { to, part: 'name' }) };
  }
  const to = textTargetOf(node, node.key, { words: wordsOf(node), kinds });
  return to === undefined ? node : marked(node, { to, part: 'name' });
}

function textTargetOf(
  node: FormNode,
  key: string,
  { words, kinds }: { readonly words: string; readonly kinds: readonly ReferenceTarget[] },
): ReferenceTarget | undefined {
  if (node.kind !== 'text') return undefined;
  const stem = withoutSuffix(key);
  const isNamed = stem !== undefined || SAYS_NAME.test(words);
  return textTarget(key, words) ?? (isNamed ? ofKind(stem ?? key, kinds) : undefined);
}

/** The texts of a group that name something with keys, the longest name first. */
function keyHolders(siblings: readonly FormNode[]): KeyHolder[] {
  const holders = siblings.flatMap((sibling) => {
    const reference = sibling.kind === 'text' && sibling.reference?.part === 'name' ? sibling.reference : undefined;
    return reference !== undefined && hasKeys(reference.to) ? [{ key: sibling.key, to: reference.to }] : [];
  });
  return holders.toSorted((a, b) => b.key.length - a.key.length).slice(0, MAX_HOLDERS);
}

interface KeyHolder {
  readonly key: string;
  readonly to: ReferenceTarget;
}

/** A text that names a key of what a text beside it names: `key`, `existingSecretPasswordKey`, or one whose description says so. */
function markKey(node: FormNode, holders: readonly KeyHolder[]): FormNode {
  if (node.kind !== 'text' || node.reference !== undefined) return node;
  const [only, ...others] = holders;
  const isItsKey = (): boolean => others.length === 0 && (node.key === 'key' || SAYS_KEY.test(wordsOf(node)));
  const found = holders.find(({ key }) => isKeyOf(node.key, key)) ?? (only !== undefined && isItsKey() ? only : undefined);
  return found === undefined ? node : marked(node, { to: found.to, part: 'key', of: found.key });
}

/** A name knows the only key that stands beside it. */
function withItsKey(node: FormNode, keys: readonly FormNode[]): FormNode {
  if (node.kind !== 'text' || node.reference?.part !== 'name') return node;
  const [only, ...others] = keys;
  return only === undefined || others.length > 0 ? node : marked(node, { ...node.reference, key: only.key });
}

function isKeyOf(key: string, name: string): boolean {
  return key.length > name.length && key.startsWith(name.replace(/Name$/, '')) && /key$/i.test(key);
}

function marked(node: FormNode, reference: Reference): FormNode {
  return node.kind === 'text' ? { ...node, reference } : node;
}

function wordsOf({ help }: Pick<NodeBase, 'help'>): string {
  return `${help.summary} ${help.more}`.slice(0, 2000);
}

/** How a resource is called in addresses: `secrets`, `storageclasses.storage.k8s.io`. */
export function targetId({ group, resource }: Pick<ReferenceTarget, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** What is known of references beside the schema itself. */
export interface KnownReferences {
  /** The kinds of the catalogue, those nearest first. */
  readonly kinds: readonly ReferenceTarget[];
  /** What the catalogue says a field names, by `pathKey`. */
  readonly named: ReadonlyMap<string, ReferenceTarget>;
}

/** What else a reference may have beside its name when its kind is chosen as well. */
const REFERENCE_MEMBERS = new Set(['name', 'key', 'kind', 'group', 'apiGroup', 'apiVersion', 'namespace', 'optional', 'targetPath']);

/**
 * The members of a group with what the catalogue says that they name, and with the kinds that the member `kind` beside a name chooses from: those that
 * its schema lists, or a kind and the one of the same name for the whole cluster.
 */
export function markKinds(group: NodeBase, children: readonly FormNode[], known: KnownReferences): readonly FormNode[] {
  const named = known.named.size === 0 ? children : children.map((child) => markNamed(group, child, known.named));
  const isReference = named.some(({ key }) => key === 'name') && named.every(({ key }) => REFERENCE_MEMBERS.has(key));
  const ordered = isReference ? nameFirst(named) : named;
  const kind = ordered.find(({ key }) => key === 'kind');
  if (kind === undefined || !isReference) return ordered;
  return ordered.map((child) =>
    child.key === 'name' && child.kind === 'text' ? withKinds(child, { kind, siblings: ordered, known }) : child,
  );
}

/** The api-server sorts members by their names; what an object is called is asked before its key. */
function nameFirst(children: readonly FormNode[]): readonly FormNode[] {
  return [...children.filter(({ key }) => key === 'name'), ...children.filter(({ key }) => key !== 'name')];
}

/** Paths as they are compared: `*` for the rows of lists. */
export function pathKey(path: string): string {
  return (parsePath(path.replaceAll(/\[\*?\]/g, '["*"]')) ?? []).map((step) => (typeof step === 'number' ? '*' : step)).join('\n');
}

function markNamed(group: NodeBase, child: FormNode, named: KnownReferences['named']): FormNode {
  const own = named.get(child.path.join('\n'));
  const whole = child.key === 'name' ? named.get(group.path.join('\n')) : undefined;
  if (child.kind === 'list') {
    const to = own ?? named.get([...child.path, '*'].join('\n'));
    return to === undefined || child.item.kind !== 'text' ? child : { ...child, item: { ...child.item, reference: { to, part: 'name' } } };
  }
  const to = own ?? whole;
  return to === undefined || child.kind !== 'text' ? child : { ...child, reference: { to, part: 'name' } };
}

function withKinds(
  name: TextNode,
  { kind, siblings, known }: { readonly kind: FormNode; readonly siblings: readonly FormNode[]; readonly known: KnownReferences },
): FormNode {
  const to = targetsOf(name, kind, known.kinds);
  const [first] = to;
  if (first === undefined || to.length < 2) return name;
  const group = siblings.find(({ key }) => key === 'group' || key === 'apiGroup');
  const own = name.reference?.part === 'name' ? name.reference : undefined;
  const fallback = to.find((one) => one.kind === kind.fallback) ?? own?.to ?? first;
  return { ...name, reference: { to: fallback, part: 'name', kinds: { to, ...(group === undefined ? {} : { group: group.key }) } } };
}

function targetsOf(name: TextNode, kind: FormNode, kinds: readonly ReferenceTarget[]): readonly ReferenceTarget[] {
  if (kind.kind === 'enum') {
    return kind.options.flatMap(({ value }) => {
      const found = [...kinds, ...NAMED_KINDS].find((one) => one.kind === value);
      return found === undefined ? [] : [found];
    });
  }
  const own = name.reference?.part === 'name' ? name.reference.to : undefined;
  if (kind.kind === 'text' && isValuesFrom(name.path)) return [...VALUES_OBJECTS, ...kinds.filter(({ group }) => group === OURS.appsGroup)];
  if (kind.kind !== 'text' || own === undefined) return [];
  if (own.kind === ISSUERS.kind && own.group === ISSUERS.group) return [ISSUERS, CLUSTER_ISSUERS];
  const wide = kinds.find((one) => one.group === own.group && one.kind === `Cluster${own.kind}`);
  return wide === undefined ? [own] : [own, wide];
}

/** Whether a path is that of the name of a source of values of an instance of a chart. */
function isValuesFrom([root, member]: FormPath): boolean {
  return root === 'spec' && member === 'valuesFrom';
}
