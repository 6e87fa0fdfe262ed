import { MOST_ROWS, nodesAt, parseFieldName } from '../../form/input/form-fields.ts';
import { nodesIn } from '../../form/input/form-budget.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { modelIn } from './parcel.ts';

/** What is done at once, in steps of about five microseconds. */
const LIGHT = 4_000;
/** Characters of YAML in a step: it is read and written several times. */
const YAML = 1;
/** Characters of digests, which are JSON. */
const DIGESTS = 50;
/** Characters of other texts. */
const TEXT = 1_000;
/** Nodes of a row that are read in a step. */
const NODES = 5;
/** Steps for each member of a value: it becomes inputs, and perhaps YAML. */
const MEMBER = 2;

/** Whether a job is so small that nobody waits for it. It is found by its inputs alone, and looks at no more than is light. */
export function isLight(job: string, args: readonly unknown[]): boolean {
  const model = modelIn(job, args);
  const scale: Scale = { left: LIGHT, model, text: textScale(job) };
  return !asksForSkeleton(args) && args.every((value) => weigh(scale, value));
}

interface Scale {
  left: number;
  readonly model: FormModel | undefined;
  /** Characters of a plain text in a step. */
  readonly text: number;
}

function textScale(job: string): number {
  if (job === 'readYaml' || job === 'reviewYaml') return YAML;
  return job === 'mergeChanges' ? DIGESTS : TEXT;
}

/** All fields of a schema become YAML. */
function asksForSkeleton(args: readonly unknown[]): boolean {
  return args.some((value) => typeof value === 'object' && value !== null && 'op' in value && String(value.op).startsWith('skeleton'));
}

function weigh(scale: Scale, value: unknown): boolean {
  if (typeof value === 'string') scale.left -= 1 + value.length / scale.text;
  else scale.left -= MEMBER;
  if (typeof value !== 'object' || value === null || value === scale.model) return scale.left >= 0;
  if (value instanceof URLSearchParams) return weighInputs(scale, value);
  if (value instanceof Uint8Array) {
    scale.left -= value.length / YAML;
    return scale.left >= 0;
  }
  if (value instanceof Map || value instanceof Set) return [...value.values()].every((member) => weigh(scale, member));
  for (const key in value) if (!weigh(scale, (value as Readonly<Record<string, unknown>>)[key])) return false;
  return scale.left >= 0;
}

function weighInputs(scale: Scale, fields: URLSearchParams): boolean {
  scale.left -= fields.size;
  if (scale.left < 0) return false;
  for (const [name, text] of fields) {
    scale.left -= text.length / inputScale(name);
    if (name.startsWith('n.')) scale.left -= rowsOf(scale, name, text) / NODES;
    if (scale.left < 0) return false;
  }
  return true;
}

function inputScale(name: string): number {
  if (name.startsWith('y.') || name.startsWith('r.') || name.startsWith('c.')) return YAML;
  return name === 'rows' ? DIGESTS : TEXT;
}

/** The nodes that the rows of a list or map have at most, those of lists within them apart. */
function rowsOf({ model }: Scale, name: string, text: string): number {
  const path = parseFieldName(name)?.path;
  if (model === undefined || path === undefined) return 0;
  const rows = Math.min(MOST_ROWS, Math.max(0, Number(text) || 0));
  return nodesAt(model.root, path).reduce((most, node) => Math.max(most, rows * nodesIn(node)), 0);
}
