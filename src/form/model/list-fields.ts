import type { Json } from '../../domain/kubernetes/resource.ts';
import type { Reference } from '../references/reference-targets.ts';
import type { Constraints, FallbackSource, Layer } from './field.ts';
import { isScalar, type FormModel, type FormNode } from './form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { holdsSecrets } from '../view/value-words.ts';

/** Where the value of a field comes from while nobody fills it in: the schema's default, somebody's values, or nowhere. */
export type FieldSource = FallbackSource | 'none';

/** One field of a form on a line of its own. */
export interface FieldLine {
  /** `spec.users[*].name`; `[*]` stands for the rows of a list or map. */
  readonly path: string;
  readonly control: FormNode['kind'];
  readonly layer: Layer;
  readonly required: boolean;
  readonly immutable: boolean;
  readonly source: FieldSource;
  /** The default, as `source` gives it. Never that of a secret. */
  readonly fallback?: Json;
  readonly constraints: Constraints;
  /** What can be chosen. */
  readonly options?: readonly Json[];
  /** What the text names. */
  readonly reference?: Reference;
  /** Why there is no typed control. */
  readonly reason?: string;
  readonly help: string;
}

/** Every field of a form in the order of the form: what holds values, and lists and maps besides, as they hold rows. */
export function listFields(model: FormModel): FieldLine[] {
  return linesOf(model.root);
}

function linesOf(node: FormNode): FieldLine[] {
  if (node.kind === 'group') return node.children.flatMap(linesOf);
  if (node.kind === 'choice') return [lineOf(node), ...node.branches.flatMap((branch) => linesOf(branch.node))];
  if (node.kind !== 'list' && node.kind !== 'map') return [lineOf(node)];
  const row = node.kind === 'list' ? node.item : node.value;
  return [lineOf(node), ...(isScalar(row) && !('reference' in row) ? [] : linesOf(row))];
}

function lineOf(node: FormNode): FieldLine {
  const { kind, layer, required, immutable, fallback, fallbackSource } = node;
  return {
    path: pathText(node.path),
    control: kind,
    layer,
    required,
    immutable,
    source: fallback === undefined ? 'none' : (fallbackSource ?? 'schema'),
    ...(fallback === undefined || holdsSecrets(node, fallback) ? {} : { fallback }),
    constraints: 'constraints' in node ? node.constraints : {},
    ...('options' in node ? { options: node.options.map((option) => option.value) } : {}),
    ...(kind === 'choice' ? { options: node.branches.map((branch) => branch.label) } : {}),
    ...(kind === 'text' && node.reference !== undefined ? { reference: node.reference } : {}),
    ...(kind === 'yaml' ? { reason: node.reason } : {}),
    help: node.help.summary,
  };
}

function pathText([root = '', ...keys]: readonly string[]): string {
  return formatPath([root]) + keys.map((key) => (key === '*' ? '[*]' : formatPath(['x', key]).slice(1))).join('');
}
