import { AppError } from '../../domain/core/errors.ts';
import { at, isObject, listAt, textAt } from '../../domain/core/read.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { FormNode } from '../../form/model/form-node.ts';
import { formatPath, parsePath, type FormPath } from '../../schema/form-path.ts';
import { appOfKind, type KindQuery } from './find-app.ts';
import { showForm } from './show-app.ts';
import type { Ports } from '../ports.ts';

/** A field of an App, as people read about it. */
export interface FieldFact {
  /** `spec.users[*].name`; `[*]` stands for the rows of a list or map. */
  readonly field: string;
  /** `object`, `list of object`, `quantity`, … */
  readonly type: string;
  readonly required: boolean;
  /** Plain text; empty when the schema says nothing. */
  readonly description: string;
  /** Absent for secrets, and where there is none. */
  readonly default?: Json;
  /** `immutable`, `minimum=1`, `one of a|b`, `locked by …`. */
  readonly rules: readonly string[];
  /** The number of fields right below it. */
  readonly children: number;
}

/** A field of an App and the fields below it. */
export interface Explanation extends FieldFact {
  readonly app: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly fields: readonly FieldFact[];
}

/** Which field: that of a path; empty: the resource itself. */
export interface ExplainInput extends KindQuery {
  readonly field: string;
  /** With the values and locks of an environment; empty: of none. */
  readonly environment: string;
  /** Default: the fields right below it. */
  readonly depth?: 'All';
}

/**
 * Describes a field of an App. Rows of lists and maps may be left out of the path, as for kubectl explain.
 *
 * @throws AppError `NotFound` with the fields that there are; as `appOfKind`; as `showForm`.
 */
export async function explainApp(
  ports: Pick<Ports, 'catalog' | 'chart' | 'chartValues' | 'clusters'>,
  actor: Actor,
  { field, environment, depth, ...query }: ExplainInput,
): Promise<Explanation> {
  const { summary } = appOfKind(ports, actor, query);
  const { root } = await showForm(ports, actor, { app: summary.id, environment });
  const node = findNode(root, summary.id, field);
  const below = depth === 'All' ? allBelow(node) : childrenOf(node);
  const { id: app, kind, group, version } = summary;
  return { app, kind, group, version, ...factOf(node), fields: below.map(factOf) };
}

function findNode(root: FormNode, app: string, field: string): FormNode {
  const path = parsePath(field.replaceAll(/\[\*\]|\.\*/g, '[0]'));
  if (path === undefined) throw new AppError('InvalidInput', `field: ${JSON.stringify(field)} is no path; write spec.users[0].name`);
  const found = nodeAt(root, path);
  if (found !== undefined) return found;
  const nearest = path.map((_, index) => nodeAt(root, path.slice(0, path.length - 1 - index))).find((node) => node !== undefined) ?? root;
  const names = childrenOf(nearest).map(({ path: below }) => pathText(below));
  const known = names.length === 0 ? 'nothing is known of what is below it' : `there are ${names.slice(0, 20).join(', ')}`;
  throw new AppError('NotFound', `${app}: there is no field ${formatPath(path)}; ${known}`);
}

function nodeAt(node: FormNode, path: FormPath): FormNode | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return node;
  if (node.kind === 'group') {
    const child = node.children.find(({ key }) => key === step);
    return child === undefined ? undefined : nodeAt(child, rest);
  }
  if (node.kind === 'list') return nodeAt(node.item, typeof step === 'number' ? rest : path);
  if (node.kind === 'map') return nodeAt(node.value, typeof step === 'string' && hasChild(node.value, step) ? path : rest);
  if (node.kind !== 'choice') return undefined;
  return node.branches.map((branch) => nodeAt(branch.node, path)).find((found) => found !== undefined);
}

function hasChild(node: FormNode, key: string): boolean {
  return childrenOf(node).some((child) => child.key === key);
}

/** Those of the rows for a list or a map, and those of all branches for a choice, each once. */
function childrenOf(node: FormNode): readonly FormNode[] {
  if (node.kind === 'group') return node.children;
  if (node.kind === 'list') return childrenOf(node.item);
  if (node.kind === 'map') return childrenOf(node.value);
  if (node.kind !== 'choice') return [];
  const all = node.branches.flatMap((branch) => childrenOf(branch.node));
  return [...new Map(all.toReversed().map((child) => [child.key, child])).values()].toReversed();
}

function allBelow(node: FormNode): readonly FormNode[] {
  return childrenOf(node).flatMap((child) => [child, ...allBelow(child)]);
}

function factOf(node: FormNode): FieldFact {
  const { fallback, help } = node;
  return {
    field: pathText(node.path),
    type: typeOf(node),
    required: node.required,
    description: [help.summary, help.more].filter((text) => text !== '').join('\n'),
    ...(fallback === undefined ? {} : { default: fallback }),
    rules: rulesOf(node),
    children: childrenOf(node).length,
  };
}

function pathText(path: readonly string[]): string {
  return formatPath(path.map((step) => (step === '*' ? 0 : step))).replaceAll('[0]', '[*]');
}

function typeOf(node: FormNode): string {
  if (node.kind === 'group') return 'object';
  if (node.kind === 'list') return `list of ${typeOf(node.item)}`;
  if (node.kind === 'map') return `map of ${typeOf(node.value)}`;
  if (node.kind === 'choice') return 'one of several';
  if (node.kind === 'yaml') return 'any';
  return textAt(node, 'format') || node.kind;
}

function rulesOf(node: FormNode): readonly string[] {
  const constraints = at(node, 'constraints');
  const options = listAt(node, 'options').map((option) => textAt(option, 'text') ?? '');
  return [
    ...(node.immutable ? ['immutable'] : []),
    ...(node.inferred === true ? ['inferred from values.yaml'] : []),
    ...(node.locked === undefined ? [] : [`locked by ${node.locked}`]),
    ...(isObject(constraints) ? Object.entries(constraints).map(([name, value]) => `${name}=${String(value)}`) : []),
    ...(options.length === 0 ? [] : [`one of ${options.join('|')}`]),
  ];
}
