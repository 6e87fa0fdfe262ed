import { controlOf } from '../controls/controls.ts';
import { limitHint } from '../controls/limits.ts';
import { isScalar, type FormNode } from '../model/form-node.ts';
import { fallbackWords } from './value-words.ts';

/** Characters of a default that a line can show. */
export const MAX_DEFAULT_LENGTH = 60;

const INFERRED_HINT = 'Inferred from values.yaml.';

/** The help of a field in one line: what it is, which unit, which limits. */
export function hintOf(node: FormNode): string {
  const inferred = node.inferred === true ? INFERRED_HINT : '';
  const parts = [node.help.summary, unitHint(node), limitsOf(node), rowDefault(node), inferred];
  return parts
    .filter((part) => part !== '')
    .map(asSentence)
    .join(' ');
}

/** `Default: 3`, for the placeholder of an empty field. Never the default of a secret. */
export function defaultHint(node: FormNode): string {
  const { words } = fallbackWords(node, MAX_DEFAULT_LENGTH);
  return words === '' || words.length > MAX_DEFAULT_LENGTH || node.fallback === '' ? '' : `Default: ${words}`;
}

/** What a value looks like, unless the help shows a unit already. */
function unitHint(node: FormNode): string {
  if (!isScalar(node) || /\d(m|s|h|Ki|Mi|Gi|Ti)\b/.test(node.help.summary)) return '';
  return controlOf(node).hint?.(node) ?? '';
}

function limitsOf(node: FormNode): string {
  if (!isScalar(node) || !('constraints' in node) || controlOf(node).ownGrammar === true) return '';
  return limitHint(node.constraints, node.help.summary);
}

/** Lists, maps and groups have no placeholder to show their default in. */
function rowDefault(node: FormNode): string {
  return node.kind === 'list' || node.kind === 'map' ? defaultHint(node) : '';
}

function asSentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
