import type { Json } from '../../domain/kubernetes/resource.ts';
import type { Control, StringNode, Traits } from './control.ts';
import { formatOf, type FieldFacts } from './field-facts.ts';
import { constraintsOf } from './limits.ts';

/** What the controls of texts have in common: a text stands for itself. */
export const TYPED_TEXT = {
  holds: ['string'],
  read: (_node: StringNode, text: string) => ({ value: text }),
  format: (_node: StringNode, value: Json) => (typeof value === 'string' ? value : undefined),
  takes: () => 'text',
} as const satisfies Partial<Control<StringNode>>;

export function textTraits({ schema, types }: FieldFacts): Traits<StringNode> {
  return { types, format: formatOf(schema), constraints: constraintsOf(schema) };
}
