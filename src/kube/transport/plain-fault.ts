/** A value as the api-server quotes it before it says what is wrong with it. */
const QUOTED = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s":]+)`;
const INVALID = new RegExp(`^Invalid value: (?:${QUOTED}: )?(.+)$`, 's');
const UNSUPPORTED = new RegExp(`^Unsupported value: (${QUOTED}): supported values: (.+)$`, 's');
const TYPE = /^must be of type (\w+): "[^"]*"$/;

/**
 * What the api-server says of a field, in plain words. It says `Invalid value: 0: spec.replicas in body should be greater than or equal to 1`
 * of what stands at `spec.replicas` anyway; what is left is `should be greater than or equal to 1`.
 */
export function plainFault(words: string): string {
  if (words === 'Required value') return 'is required';
  const unsupported = UNSUPPORTED.exec(words);
  if (unsupported !== null) return `${unsupported[1] ?? ''} is not one of ${unsupported[2] ?? ''}`;
  const required = /^Required value: (.+)$/s.exec(words)?.[1];
  const said = required ?? INVALID.exec(words)?.[1] ?? words;
  const inBody = said.replace(/^(?:[\w.[\]-]+ )?in body (?=should|must|shouldn't)/, '');
  if (inBody.startsWith('should match') && inBody.includes('[numkMGTPE]')) return 'must be a quantity such as 500m, 2 or 1Gi';
  return inBody.replace(TYPE, 'must be of type $1');
}
