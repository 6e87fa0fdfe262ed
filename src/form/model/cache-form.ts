import { LRUCache } from 'lru-cache';
import '../../domain/core/exact-json.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { ChartHints } from '../../schema/hints/chart-hints.ts';
import { buildForm, type FormInput } from './form-model.ts';
import type { FormModel, FormNode } from './form-node.ts';

/** Nodes that are kept, over all forms: half a dozen of the largest, or all of an ordinary catalogue. One takes 0.6 KiB. */
const MAX_NODES = 20_000;

/** The forms that were made last, for a schema and all else that they depend on. One form is kept, however large. */
const known = new LRUCache<string, FormModel>({
  maxSize: MAX_NODES,
  sizeCalculation: ({ root }) => Math.min(countNodes(root), MAX_NODES),
});

const NO_HINTS: ChartHints = {};

/** A schema is the same while it is the same object, as it is for as long as its definition does not change in the cluster; so are the hints of a chart. */
const names = new WeakMap<object, number>();
let named = 0;

/** The form of `buildForm`, which is made once for as long as the same schema is asked for: by pages, by the REST API, by reviews. */
export function cacheForm(input: FormInput): FormModel {
  const { schema, hints = NO_HINTS, ...rest } = input;
  const key = `${nameOf(schema)} ${nameOf(hints)} ${stringifyJson(rest)}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const form = buildForm(input);
  known.set(key, form);
  return form;
}

function nameOf(schema: object): number {
  const name = names.get(schema) ?? (named += 1);
  names.set(schema, name);
  return name;
}

function countNodes(node: FormNode): number {
  if (node.kind === 'group') return node.children.reduce((sum, child) => sum + countNodes(child), 1);
  if (node.kind === 'choice') return node.branches.reduce((sum, branch) => sum + countNodes(branch.node), 1);
  if (node.kind === 'list') return 1 + countNodes(node.item);
  return node.kind === 'map' ? 1 + countNodes(node.value) : 1;
}
