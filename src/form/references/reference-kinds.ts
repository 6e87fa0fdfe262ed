import type { TextNode } from '../controls/text.ts';
import type { NodeBase } from '../model/field.ts';
import type { FormNode } from '../model/form-node.ts';
import { parsePath } from '../../schema/form-path.ts';
import { CLUSTER_ISSUERS, ISSUERS, NAMED_KINDS, type ReferenceTarget } from './reference-targets.ts';

/** What is known of references beside the schema itself. */
export interface KnownReferences {
  /** The kinds of the catalogue, those nearest first. */
  readonly kinds: readonly ReferenceTarget[];
  /** What the catalogue says a field names, by `pathKey`. */
  readonly named: ReadonlyMap<string, ReferenceTarget>;
}

/** What else a reference may have beside its name when its kind is chosen as well. */
const MEMBERS = new Set(['name', 'key', 'kind', 'group', 'apiGroup', 'namespace', 'optional']);

/**
 * The members of a group with what the catalogue says that they name, and with the kinds that the member `kind` beside a name chooses from: those that
 * its schema lists, or a kind and the one of the same name for the whole cluster.
 */
export function markKinds(group: NodeBase, children: readonly FormNode[], known: KnownReferences): readonly FormNode[] {
  const named = known.named.size === 0 ? children : children.map((child) => markNamed(group, child, known.named));
  const isReference = named.some(({ key }) => key === 'name') && named.every(({ key }) => MEMBERS.has(key));
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
  if (kind.kind !== 'text' || own === undefined) return [];
  if (own.kind === ISSUERS.kind && own.group === ISSUERS.group) return [ISSUERS, CLUSTER_ISSUERS];
  const wide = kinds.find((one) => one.group === own.group && one.kind === `Cluster${own.kind}`);
  return wide === undefined ? [own] : [own, wide];
}
