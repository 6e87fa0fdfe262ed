import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { isScalar, isSecret, type FormModel, type FormNode } from '../model/form-node.ts';
import { parsePath } from '../../schema/form-path.ts';
import { readScalar } from '../controls/scalar.ts';
import { readYaml } from '../../schema/yaml-text.ts';
import { childOf, startsAt } from './form-fields.ts';

const MAX_VALUES = 500;

/** A value under construction: members by key, in the order of the link. */
type Draft = { readonly members: Map<string, Draft> } | { readonly value: Json };

/**
 * The values that a link carries: `?v.spec.instances=3&v.spec.users[0].name=anna&v.spec.labels.team=a`. Lists, maps and free-form parts may also
 * be given whole as YAML. What the form does not know or cannot read is left out, and so are secrets, which have no place in an address.
 */
export function prefill(model: FormModel, query: URLSearchParams): JsonObject {
  const root: Draft = { members: new Map() };
  for (const [name, text] of [...query].filter(([key]) => key.startsWith('v.')).slice(0, MAX_VALUES)) {
    const steps = parsePath(name.slice(2))?.map(String) ?? [];
    if (startsAt(model.root, steps) && text !== '') place(root, { node: model.root, steps: steps.slice(model.root.path.length), text });
  }
  const value = finish(root, model.root);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

interface Placing {
  readonly node: FormNode;
  readonly steps: readonly string[];
  readonly text: string;
}

function place(draft: Draft, { node, steps, text }: Placing): void {
  const [step, ...rest] = steps;
  if (step === undefined || 'value' in draft) return;
  const children = (node.kind === 'choice' ? node.branches.map((branch) => branch.node) : [node])
    .map((inside) => childOf(inside, step))
    .filter((child) => child !== undefined);
  const [child] = children;
  if (child === undefined) return;
  const known = draft.members.get(step);
  if (rest.length > 0) {
    const next: Draft = known ?? { members: new Map() };
    place(next, { node: child, steps: rest, text });
    if (!('members' in next) || next.members.size > 0) draft.members.set(step, next);
    return;
  }
  const value = known === undefined ? firstValue(children, text) : undefined;
  if (value !== undefined) draft.members.set(step, { value });
}

/** In the branches of a choice a field may be different things; the first that takes the text counts. A secret of any is left out. */
function firstValue(nodes: readonly FormNode[], text: string): Json | undefined {
  if (nodes.some(isSecret)) return undefined;
  return nodes.map((node) => valueOf(node, text)).find((value) => value !== undefined);
}

function valueOf(node: FormNode, text: string): Json | undefined {
  return isScalar(node) ? readScalar(node, text).value : readYaml(text).value;
}

function finish(draft: Draft, node: FormNode): Json {
  if ('value' in draft) return draft.value;
  const members = [...draft.members].map(([step, member]) => [step, finish(member, childOf(node, step) ?? node)] as const);
  const isList = node.kind === 'list' || (node.kind === 'choice' && members.every(([step]) => /^\d+$/.test(step)));
  if (!isList) return Object.fromEntries(members);
  return members.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}
