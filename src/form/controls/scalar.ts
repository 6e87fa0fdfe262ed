import type { Json } from '../../domain/kubernetes/resource.ts';
import { isSafeText } from '../../schema/yaml-text.ts';
import type { Advice } from './advice.ts';
import type { TextRead } from './control.ts';
import { controlOf, type ControlNode } from './controls.ts';
import { checkLimits } from './limits.ts';

const NO_ADVICE: Advice = { says: '', next: [], warning: '' };

/** Reads the text of a control. Only the type is looked at; limits are checked apart. The text is not empty. */
export function readScalar(node: ControlNode, text: string): TextRead {
  return controlOf(node).read(node, text);
}

/**
 * The text of a value, which reads back as the same value; undefined when the control cannot hold it, because it has another type, is not among
 * the choices, or would be changed by a browser. The empty text is never given: it stands for an absent value.
 */
export function writeScalar(node: ControlNode, value: Json): string | undefined {
  const control = controlOf(node);
  const text = control.format(node, value);
  if (text === undefined || text === '' || !isSafeText(text)) return undefined;
  const read = control.read(node, text);
  return read.fault === undefined && Object.is(read.value, value) ? text : undefined;
}

/** Whether an empty text can be a value of the node. */
export function holdsText(node: ControlNode): boolean {
  return 'types' in node && node.types.includes('string');
}

/** What a value breaks of the grammar or the limits of the schema, as a sentence; undefined when it keeps them all, as far as a form can tell. */
export function checkScalar(node: ControlNode, value: Json): string | undefined {
  if (!('constraints' in node)) return undefined;
  const control = controlOf(node);
  const broken = typeof value === 'string' ? control.check?.(node, value) : undefined;
  return broken ?? checkLimits(node.constraints, value, (text) => control.explain?.(node, text));
}

/** What a person may want to know of the value that they typed. */
export function advise(node: ControlNode, value: Json, now: Date): Advice {
  if (typeof value !== 'string' || value === '' || value.includes('\n')) return NO_ADVICE;
  return controlOf(node).advise?.(node, value, now) ?? NO_ADVICE;
}
