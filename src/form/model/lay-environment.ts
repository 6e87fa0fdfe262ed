import { at, isObject } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { InstanceLayers } from '../../domain/values/instance-layers.ts';
import { layValues, type Lock } from '../../domain/values/locks.ts';
import type { FormModel, FormNode } from './form-node.ts';

/** The form with the values of an environment as what empty fields get, and with its locked fields marked. Of rows only the list as a whole can be set. */
export function layEnvironment(model: FormModel, { lower, locks }: InstanceLayers): FormModel {
  const { path } = model.root;
  const mine = locks.filter(({ names }) => path.every((step, index) => names[index] === step));
  const below = mine.map(({ names, by }) => ({ names: names.slice(path.length), by }));
  const root = layNode(model.root, { value: at(lower.environment, ...path) as Json | undefined, locks: below });
  return root.kind === 'group' || root.kind === 'yaml' ? { ...model, root } : model;
}

interface Layer {
  readonly value: Json | undefined;
  readonly locks: readonly Pick<Lock, 'names' | 'by'>[];
  /** Who locked what is around it. */
  readonly by?: string;
}

function layNode(node: FormNode, layer: Layer): FormNode {
  const by = layer.by ?? layer.locks.find(({ names }) => names.length === 0)?.by;
  if (layer.value === undefined && layer.locks.length === 0 && by === undefined) return node;
  const locked = by === undefined ? {} : { locked: by };
  const inner = { ...layer, ...(by === undefined ? {} : { by }) };
  if (node.kind === 'group') return { ...node, ...locked, children: node.children.map((child) => layChild(child, inner)) };
  const given = by === undefined && layer.value === undefined ? {} : { required: false };
  const own = { ...locked, ...given, ...fallbackOf(node, layer.value) };
  if (node.kind !== 'choice') return { ...node, ...own };
  const branches = node.branches.map((branch) => ({ ...branch, node: layNode(branch.node, inner) as typeof branch.node }));
  return { ...node, ...own, branches };
}

function layChild(child: FormNode, { value, locks, by }: Layer): FormNode {
  const below = locks.filter(({ names }) => names[0] === child.key).map((lock) => ({ ...lock, names: lock.names.slice(1) }));
  return layNode(child, { value: at(value, child.key) as Json | undefined, locks: below, ...(by === undefined ? {} : { by }) });
}

/** Maps are merged, everything else is replaced. */
function fallbackOf({ fallback }: FormNode, value: Json | undefined): Pick<FormNode, 'fallback' | 'fallbackSource'> {
  if (value === undefined) return {};
  const laid = isObject(fallback) && isObject(value) ? layValues(fallback, value) : value;
  return { fallback: laid, fallbackSource: 'environment' };
}
