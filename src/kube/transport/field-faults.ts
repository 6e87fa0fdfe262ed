import type { FieldFault } from '../../domain/core/errors.ts';
import { withoutDumps } from '../../domain/kubernetes/value-dumps.ts';

/** A value as the api-server quotes it before it says what is wrong with it. */
const QUOTED = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s":]+)`;
const INVALID = new RegExp(`^Invalid value: (?:${QUOTED}: )?(.+)$`, 's');
const UNSUPPORTED = new RegExp(`^Unsupported value: (${QUOTED}): supported values: (.+)$`, 's');
/** `.spec.list[name="a: b"].x: words` */
const FIELD_WORDS = /^\.((?:\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]|[^:[\]])+): (.*)$/s;
const TYPE = /^must be of type (\w+): "[^"]*"$/;

/**
 * What the api-server says of a field, in plain words. It says `Invalid value: 0: spec.replicas in body should be greater than or equal to 1`
 * of what stands at `spec.replicas` anyway; what is left is `should be greater than or equal to 1`.
 */
export function plainFault(words: string): string {
  if (words === 'Required value') return 'is required';
  const short = withoutDumps(words);
  const unsupported = UNSUPPORTED.exec(short);
  if (unsupported !== null) return `${unsupported[1] ?? ''} is not one of ${unsupported[2] ?? ''}`;
  const required = /^Required value: (.+)$/s.exec(short)?.[1];
  const said = required ?? INVALID.exec(short)?.[1] ?? short;
  const inBody = said.replace(/^(?:[\w.[\]-]+ )?in body (?=should|must|shouldn't)/, '');
  if (inBody.startsWith('should match') && inBody.includes('[numkMGTPE]')) return 'must be a quantity such as 500m, 2 or 1Gi';
  return inBody.replace(TYPE, 'must be of type $1');
}

/** `unknown field "spec.x", duplicate field "spec.y"` (the api-server's words), a fault each. */
export function strictFaults(words: string): FieldFault[] {
  const faults = [...words.matchAll(/(unknown|duplicate) field "([^"]*)"/g)].map(([, problem, field = '']) => ({
    field,
    message: problem === 'duplicate' ? `The field "${field}" is given twice` : `There is no field "${field}" in this kind`,
  }));
  return faults.length > 0 ? faults : [{ message: words }];
}

/**
 * What server-side apply says of a patch that does not fit the schema, a fault each: `failed to create typed patch object (ns/name; group/v1, Kind=X):
 * .spec.x: field not declared in schema`, or a line each for several. The api-server answers 500, and nothing is wrong with it. No faults for other words.
 */
export function typedPatchFaults(message: string): FieldFault[] {
  const said = /failed to create typed patch object \([^)]*\): (?:errors:)?(.*)/s.exec(message)?.[1];
  if (said === undefined) return [];
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, field, words = ''] = FIELD_WORDS.exec(line.trim()) ?? [];
    return field === undefined ? { message: line.trim() } : typedPatchFault(field, words);
  });
}

function typedPatchFault(field: string, words: string): FieldFault {
  const type = /^expected ([^,]+), got/.exec(words)?.[1];
  if (type !== undefined) return { field, message: `"${field}" must be a ${type}` };
  if (words === 'field not declared in schema') return { field, message: `There is no field "${field}" in this kind` };
  const [, index, keys] = /^element (\d+): .* omits (?:all key fields|key field) \[?("[^\]]+?")(?:\]| \()/.exec(words) ?? [];
  if (index !== undefined)
    return { field: `${field}[${index}]`, message: `"${field}[${index}]" must have ${keys?.replaceAll(' ', ' or ') ?? 'a key'}` };
  const twice = /^duplicate entries for key \[(.*)\]$/s.exec(words)?.[1];
  if (twice !== undefined) return { field, message: `"${field}" has more than one element with ${twice.replace(/^=/, '')}` };
  return { field, message: `"${field}": ${words}` };
}
