import { at, isObject, listAt, textAt } from '../../core/read.ts';

/** Where controllers write about a status in a sentence. */
const MESSAGES = ['message', 'statusMessage', 'healthMessage', 'displayMessage', 'description', 'lastMessage'];

/** What a status or a part of it says in a sentence, the checks that it lists included; empty where it says nothing. */
export function messageIn(group: unknown): string {
  const checks = checksIn(group);
  if (checks !== '') return checks;
  const text = MESSAGES.map((name) => textAt(group, name) ?? '').find((one) => one !== '');
  return text ?? (listed(group, 'message') || reasonIn(group));
}

/** A list of sentences, as Percona's clusters have. */
function listed(group: unknown, name: string): string {
  return listAt(group, name)
    .filter((one) => typeof one === 'string')
    .slice(0, MAX_LISTED)
    .join('; ');
}

const MAX_LISTED = 10;

/** A reason that is a sentence, as of a Challenge of ACME. */
function reasonIn(group: unknown): string {
  const reason = textAt(group, 'reason') ?? '';
  return reason.includes(' ') ? reason : '';
}

/** Checks by their names: `details: {OSD_DOWN: {message: 1 osds down}}`. */
function checksIn(group: unknown): string {
  const details = at(group, 'details');
  if (!isObject(details)) return '';
  return Object.entries(details)
    .slice(0, MAX_LISTED)
    .flatMap(([name, check]) => {
      const message = textAt(check, 'message') ?? '';
      return message === '' ? [] : [`${name}: ${message}`];
    })
    .join('; ');
}

/** `error`, `errorMessage`, `lastSyncError`, `failureReason`, `usefulErrorMessage`. */
const ERROR =
  /^(err|[a-z]*error|failure|validationErrors?|errors)$|^(err|[a-z]*[eE]rror|failure)(Msg|Message|Description|Reason|Text|Details?)$|^[a-z]+(?:[A-Z][a-z]+)*(Error|ErrorMessage|FailureMessage)$/;
const MAX_FIELDS = 100;

/** What went wrong, in words of the controller: a text, a list of texts, or an object with a message. */
export function errorIn(status: unknown): string | undefined {
  if (!isObject(status)) return undefined;
  for (const [name, value] of Object.entries(status).slice(0, MAX_FIELDS)) {
    if (!ERROR.test(name)) continue;
    const text = textOf(value);
    if (!['', 'none', 'null', 'false'].includes(text.toLowerCase())) return text;
  }
  return errorOfParts(status);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .slice(0, MAX_LISTED)
      .map(textOf)
      .filter((text) => text !== '')
      .join('; ');
  return textAt(value, 'message') ?? '';
}

/** Errors that the parts of a list report: `byPod: [{errors: [{message: …}]}]`. */
function errorOfParts(status: Record<string, unknown>): string | undefined {
  const parts = Object.values(status)
    .slice(0, MAX_FIELDS)
    .flatMap((value) => listAt(value).slice(0, MAX_FIELDS));
  return parts.map((part) => textOf(at(part, 'errors'))).find((text) => text !== '');
}
