import type { EnvironmentView } from '../domain/environment.ts';
import { at, isObject } from '../domain/read.ts';
import type { Json } from '../domain/resource.ts';
import { instanceLayers, type InstanceLayers, type LayeredApp } from '../domain/values/instance-layers.ts';
import { layValues, type Lock } from '../domain/values/locks.ts';
import { appForm } from './app-form.ts';
import type { FormMode, FormModel, FormNode } from './form-node.ts';

/** The form with the values of an environment as what empty fields get, and with its locked fields marked. Of rows only the list as a whole can be set. */
export function layEnvironment(model: FormModel, { lower, locks }: InstanceLayers): FormModel {
  const mine = locks.filter(({ names }) => names[0] === model.root.key).map(({ names, by }) => ({ names: names.slice(1), by }));
  const root = layNode(model.root, { value: lower.environment, locks: mine });
  return root.kind === 'group' || root.kind === 'yaml' ? { ...model, root } : model;
}

/** What is needed of an App. */
type PlacedApp = LayeredApp & Parameters<typeof appForm>[0];

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

/** The form of an App where its instance would be, or is. Only new instances start with values of the environment; its locks hold for all. */
export function placedForm(app: PlacedApp, mode: FormMode, environment?: Pick<EnvironmentView, 'name' | 'overlay'>): FormModel {
  const { lower, locks } = instanceLayers(app, environment);
  return layEnvironment(appForm(app, mode), { lower: mode === 'create' ? lower : { operator: {}, environment: {} }, locks });
}
