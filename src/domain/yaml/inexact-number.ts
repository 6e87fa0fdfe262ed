import { isScalar, visit } from 'yaml';
import { parseYamlStream } from '../core/bounded-yaml.ts';
import { exactNumber } from '../core/exact-json.ts';
import { resolvePlain } from './resolve-scalar.ts';

/** A number that no JSON number and no integer of 64 bits keeps to the last digit. */
export interface InexactNumber {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

const DECIMAL = /^[-+]?\.?\d[\d._]*(?:[eE][-+]?\d+)?$/;

/** The first number of a YAML text that would be rounded when it is read; undefined where there is none. The text has been parsed before. */
export function inexactNumber(text: string): InexactNumber | undefined {
  const { documents, placeAt } = parseYamlStream(text);
  let found: InexactNumber | undefined;
  for (const document of documents) {
    visit(document, {
      Scalar: (key, node) => {
        const { source = '', range } = node;
        const isPlain = isScalar(node) && node.type === 'PLAIN' && node.tag === undefined;
        if (key === 'key' || !isPlain || !isInexact(source)) return undefined;
        found ??= { text: source, ...placeAt(range?.[0] ?? 0) };
        return visit.BREAK;
      },
    });
  }
  return found;
}

function isInexact(source: string): boolean {
  const resolved = resolvePlain(source);
  if (resolved.kind !== 'Value' || typeof resolved.value !== 'number') return false;
  return DECIMAL.test(source) ? exactNumber(source.replaceAll('_', '')) === undefined : !Number.isSafeInteger(resolved.value);
}
