import type { Json } from '../src/domain/kubernetes/resource.ts';
import { controlOf } from '../src/form/controls/controls.ts';
import { writeScalar } from '../src/form/controls/scalar.ts';
import { isScalar, type FormNode, type ScalarNode } from '../src/form/model/form-node.ts';

const DEEPEST = 14;

/** A value that has something in every field of a form, lists and maps with one row each; undefined below a depth. */
export function sampleOf(node: FormNode): Json | undefined {
  if (node.path.length > DEEPEST) return undefined;
  if (isScalar(node)) return sampleScalar(node);
  switch (node.kind) {
    case 'group':
      return Object.fromEntries(
        node.children.map((child) => [child.key, sampleOf(child)] as const).filter(([, value]) => value !== undefined),
      );
    case 'list':
      return [sampleOf(node.item) ?? {}];
    case 'map':
      return { 'a.b/c': sampleOf(node.value) ?? {} };
    case 'yaml':
      return { any: ['thing', 1, null] };
    case 'choice':
      return sampleOf(node.branches.at(-1)?.node ?? node);
  }
  return undefined;
}

/** Its last option, or the first example of its control that it can hold. */
function sampleScalar(node: ScalarNode): Json | undefined {
  const { examples, options } = controlOf(node);
  if (options !== undefined) return options(node).at(-1)?.value;
  return examples.map(({ value }) => value).find((value) => writeScalar(node, value) !== undefined);
}
