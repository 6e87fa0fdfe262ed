import { advise } from '../controls/advise.ts';
import type { ScalarNode } from '../model/form-node.ts';
import { readScalar } from '../controls/scalar-text.ts';
import type { AdvisedView, TextView } from './form-view-model.ts';
import type { ViewContext } from './view-context.ts';

const ADVISED: readonly ScalarNode['kind'][] = ['cron', 'host', 'url', 'port', 'percentage'];

/** Whether more is understood of such a value than that it is a text or a number. */
export function isAdvised(node: ScalarNode): boolean {
  return ADVISED.includes(node.kind);
}

/** The same input, and below it what its value means, or that of the default while it is empty. Where something is refused, that is said instead. */
export function advisedView({ now }: ViewContext, view: TextView, node: ScalarNode): TextView | AdvisedView {
  const checkOp = node.kind === 'cron' && !view.disabled ? 'check' : '';
  const isDefault = view.value === '';
  const read = isDefault ? { value: node.fallback ?? '' } : readScalar(node, view.value);
  const { says, next, warning } = advise(node, view.error === '' ? (read.value ?? '') : '', now);
  if (says === '' && warning === '' && checkOp === '') return view;
  const noteId = says === '' && warning === '' ? '' : `${view.id}-note`;
  return {
    ...view,
    partial: 'parts/field-advised',
    told: noteId !== '',
    says: says === '' ? '' : `${isDefault ? 'By default: ' : ''}${says}.`,
    next: next.map((time) => time.toISOString()),
    warning: isDefault ? '' : warning,
    checkOp,
    describedBy: [view.describedBy, noteId].filter((id) => id !== '').join(' '),
  };
}
