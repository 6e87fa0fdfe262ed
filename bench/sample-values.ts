import type { Json } from '../src/domain/kubernetes/resource.ts';
import type { FormNode } from '../src/form/model/form-node.ts';

const DEEPEST = 14;

/** A value that has something in every field of a form, lists and maps with one row each; undefined below a depth. */
export function sampleOf(node: FormNode): Json | undefined {
  if (node.path.length > DEEPEST) return undefined;
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
    case 'boolean':
      return false;
    case 'enum':
      return node.options.at(-1)?.value;
    case 'integer':
    case 'number':
      return node.constraints.minimum ?? 0;
    case 'quantity':
      return '10Gi';
    case 'duration':
      return '1h30m';
    case 'cron':
      return '0 3 * * *';
    case 'host':
      return 'db.example.com';
    case 'url':
      return 'https://example.com/path';
    case 'percentage':
      return '25%';
    case 'port':
      return node.types.includes('string') ? 'http' : 8080;
    case 'int-or-string':
      return node.types.includes('string') ? '080' : 1;
    case 'choice':
      return sampleOf(node.branches.at(-1)?.node ?? node);
    case 'text':
    case 'multiline':
    case 'secret':
      break;
  }
  return '080';
}
