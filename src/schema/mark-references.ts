import type { FormNode, NodeBase, Reference, ReferenceTarget } from './form-node.ts';
import { groupTarget, hasKeys, ofKind, SECRETS, targetInWords, textTarget, withoutSuffix } from './reference-targets.ts';

/** What a reference is made of; a group with other members beside `name` is something of its own that has a name. */
const MEMBERS = new Set(
  'name key optional namespace kind group apiGroup apiVersion uid fieldPath resourceVersion audiences items defaultMode'.split(' '),
);
const SAYS_KEY = /\bkey\b.{0,60}\b(secret|config ?map)\b|\bsecret key\b/i;
const SAYS_CONFIG_MAP = /\bconfig ?maps?\b/i;
const CREDENTIAL = /(credentials?|password|token|access[_-]?key)$/i;
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
  const keyed = named.map((child) => markKey(child, named));
  return keyed.map((child) => withItsKey(child, keyed));
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

/** A text that names a key of what a text beside it names: `key`, `existingSecretPasswordKey`, or one whose description says so. */
function markKey(node: FormNode, siblings: readonly FormNode[]): FormNode {
  if (node.kind !== 'text' || node.reference !== undefined) return node;
  const names = siblings.flatMap((sibling) => {
    const reference = sibling.kind === 'text' && sibling.reference?.part === 'name' ? sibling.reference : undefined;
    return reference !== undefined && hasKeys(reference.to) ? [{ key: sibling.key, reference }] : [];
  });
  const longest = names.toSorted((a, b) => b.key.length - a.key.length).find(({ key }) => isKeyOf(node.key, key));
  const found = longest ?? (names.length === 1 && (node.key === 'key' || SAYS_KEY.test(wordsOf(node))) ? names[0] : undefined);
  return found === undefined ? node : marked(node, { to: found.reference.to, part: 'key', of: found.key });
}

/** A name knows the only key that stands beside it. */
function withItsKey(node: FormNode, siblings: readonly FormNode[]): FormNode {
  if (node.kind !== 'text' || node.reference?.part !== 'name') return node;
  const keys = siblings.filter((one) => one.kind === 'text' && one.reference?.part === 'key' && one.reference.of === node.key);
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
