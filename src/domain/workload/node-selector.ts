import { isObject } from '../core/read.ts';
import { map, optional, text } from '../kind/field.ts';
import { isLabelValue, LABEL_KEY, LABEL_VALUE } from '../kubernetes/label-selector.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';
import { valueAt } from '../values/layers.ts';
import { changePodSpecs } from './pod-spec.ts';

const MAX_LABELS = 8;
const KEYS = [
  {
    rule: String.raw`self.all(label, size(label) <= 317 && label.matches(r'^${LABEL_KEY}$'))`,
    message: 'each key is a label of nodes, for example kubernetes.io/hostname',
  },
];

/** On which nodes the pods of a release run: labels as they are given, and labels whose values are values of the release. */
export const nodeSelectorMembers = {
  nodeSelector: optional(
    map(text({ maxLength: 63, pattern: `^${LABEL_VALUE}$` }), {
      description:
        'Labels of the nodes that pods of instances run on, for example {pool: apps}. They are added to the nodeSelector of pods in the chart, and replace labels of the same name there.',
      maxProperties: MAX_LABELS,
      rules: KEYS,
    }),
  ),
  nodeSelectorFrom: optional(
    map(text({ minLength: 1, maxLength: 500 }), {
      description:
        'The same with a value of the instance: the path of the value for each label, for example {kubernetes.io/hostname: nodeName} for spec.values.nodeName. A label without a value, or with an empty one, is left out. Lock the path in catalog to keep it from being chosen.',
      maxProperties: MAX_LABELS,
      rules: KEYS,
    }),
  ),
};

type Labels = Readonly<Record<string, string>>;

interface NodeSelectorPolicy {
  readonly nodeSelector?: Labels;
  readonly nodeSelectorFrom?: Labels;
}

/** The labels of nodes that the pods of a release select. */
export interface NodeSelector {
  /** Sorted. */
  readonly labels: Labels;
  /** Values that no label can have, a sentence each; they can hold what comes from a Secret. */
  readonly faults: readonly string[];
}

/** @param values those that the chart gets, laid over its own. */
export function nodeSelectorOf({ nodeSelector = {}, nodeSelectorFrom = {} }: NodeSelectorPolicy, values: JsonObject): NodeSelector {
  const taken = Object.entries(nodeSelectorFrom).map(([label, path]) => ({ label, path, text: labelText(valueAt(values, path)) }));
  const faults = taken
    .filter(({ text: value }) => value === undefined)
    .map(({ label, path }) => `${path}: it selects the node by the label ${label}, and is not a value that a label can have`);
  const chosen = taken.flatMap(({ label, text: value = '' }) => (value === '' ? [] : [[label, value] as const]));
  const labels = Object.entries({ ...nodeSelector, ...Object.fromEntries(chosen) });
  return { labels: Object.fromEntries(labels.sort(([a], [b]) => (a < b ? -1 : 1))), faults };
}

/** Empty without a value; undefined for one that no label can have. */
function labelText(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return isScalar && isLabelValue(String(value)) ? String(value) : undefined;
}

/** Adds labels to the `nodeSelector` of the pods that objects make. An object without a change is the very same one. */
export function selectNodes(objects: readonly KubeObject[], labels: Labels = {}): readonly KubeObject[] {
  const wanted = Object.entries(labels);
  if (wanted.length === 0) return objects;
  return changePodSpecs(objects, (spec) => {
    if (!isObject(spec)) return spec;
    const { nodeSelector } = spec;
    const own = isObject(nodeSelector) ? nodeSelector : {};
    return wanted.every(([label, value]) => own[label] === value) ? spec : { ...spec, nodeSelector: { ...own, ...labels } };
  });
}
