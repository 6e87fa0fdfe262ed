import { AppError, type FieldFault, sentenceOfFault } from '../domain/core/errors.ts';
import { redact } from '../domain/core/secret.ts';

const REJECTED = "values don't meet the specifications of the schema(s) in the following chart(s):";
/** `- at '/image/tag': got number, want string`; what an `anyOf` or `oneOf` failed of follows, indented. */
const FAULT = /^(\s*)- at '(.*?)': (.*)$/;
/** A value, which may be a secret, before what is wrong with it. */
const ECHO = /^'.*' ((?:does not match pattern|is not valid) .*)$/;
const MAX_FAULTS = 50;

/**
 * What Helm says of values that a schema rejects, as one fault for each field; undefined for any other failure.
 *
 * @param stderr as Helm 4 writes it: the name of each chart or alias, then its faults.
 */
export function schemaFaults(stderr: string, secrets: readonly string[]): AppError | undefined {
  const start = stderr.indexOf(REJECTED);
  if (start < 0) return undefined;
  let chart = '';
  const sentences: string[] = [];
  for (const line of stderr.slice(start + REJECTED.length).split('\n')) {
    const [, indent = '', pointer = '', said = ''] = FAULT.exec(line) ?? [];
    if (said === '') chart = /^(\S+):$/.exec(line)?.[1] ?? chart;
    else if (indent === '')
      sentences.push(`The values violate the schema of the chart ${chart}: ${sentenceOfFault(faultOf(pointer, said))}`);
    else sentences.push(`${sentences.pop() ?? ''}, ${said}`);
  }
  if (sentences.length === 0) return undefined;
  // Helm names the fields of a chart in an order of chance.
  sentences.sort((a, b) => a.localeCompare(b));
  const left = sentences.length - MAX_FAULTS;
  const shown = sentences.slice(0, MAX_FAULTS).map((sentence) => redact(sentence, secrets));
  const faults = [...shown, ...(left > 0 ? [`${left} more`] : [])].map((message): FieldFault => ({ message }));
  return new AppError('ValuesInvalid', shown.join('; '), { faults });
}

/** A JSON Pointer (RFC 6901) becomes the path of a field: `/list/0/a` is `list[0].a`. */
function faultOf(pointer: string, message: string): FieldFault {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const clean = message.replace(ECHO, '$1');
  const field = names.map((name, index) => (/^\d+$/.test(name) ? `[${name}]` : `${index === 0 ? '' : '.'}${name}`)).join('');
  return field === '' ? { message: clean } : { field, message: clean };
}
