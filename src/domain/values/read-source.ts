import type { ValuesFrom } from '../operator/kind/chart-fields.ts';
import { parseYamlDocument } from '../core/bounded-yaml.ts';
import { AppError } from '../core/errors.ts';
import { at, isObject, textAt } from '../core/read.ts';
import type { Json, JsonObject, KubeObject } from '../kubernetes/resource.ts';
import { placeAt } from './layers.ts';

/** What a Secret or ConfigMap gives as values. A clause `why` quotes nothing of what the object holds. */
type SourceReading =
  | { readonly kind: 'Read'; readonly values: JsonObject; readonly text: string }
  | { readonly kind: 'Absent'; readonly why: string }
  | { readonly kind: 'Invalid'; readonly why: string };

/**
 * Reads the values of one source.
 *
 * @param object the Secret or ConfigMap; undefined when there is none.
 */
export function readValuesSource(object: KubeObject | undefined, from: ValuesFrom): SourceReading {
  if (object === undefined) return { kind: 'Absent', why: 'it does not exist' };
  const text = textOf(object, from);
  if (text === undefined) return { kind: 'Absent', why: `it has no key ${JSON.stringify(from.key)}` };
  return from.targetPath === undefined ? parseMap(text, from) : { kind: 'Read', values: placeAt(from.targetPath, text), text };
}

function textOf(object: KubeObject, { kind, key }: ValuesFrom): string | undefined {
  const text = textAt(object, 'data', key);
  if (text !== undefined) return kind === 'Secret' ? Buffer.from(text, 'base64').toString('utf8') : text;
  const binary = kind === 'ConfigMap' ? textAt(object, 'binaryData', key) : undefined;
  return binary === undefined ? undefined : Buffer.from(binary, 'base64').toString('utf8');
}

/** What the parser says of a Secret may quote it, so only the place is reported. */
function parseMap(text: string, { key }: ValuesFrom): SourceReading {
  const invalid = (why: string): SourceReading => ({ kind: 'Invalid', why: `its key ${JSON.stringify(key)} is not ${why}` });
  let value: Json;
  try {
    value = parseYamlDocument(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const line = at(error.faults, 0, 'line');
    return invalid(`YAML${typeof line === 'number' ? ` (line ${line})` : ''}; correct it, or set a targetPath for plain text`);
  }
  if (value === null) return { kind: 'Read', values: {}, text };
  return isObject(value) ? { kind: 'Read', values: value, text } : invalid('a map of values; set a targetPath for plain text');
}

/** `Secret db key password` */
export function sourceName({ kind, name, key }: ValuesFrom): string {
  return `${kind} ${name} key ${key}`;
}
