import { formatPath } from '../../schema/form-path.ts';
import type { SecretView, TextView } from './form-view-model.ts';
import type { ShowNode, ViewContext } from './view-context.ts';

/** A secret of one line, with a button that makes a value up; right after that, and only then, the page can show what it is. */
export function secretView(context: ViewContext, view: TextView, { path }: ShowNode): SecretView {
  const text = formatPath(path);
  const isNew = context.generated === text;
  return { ...view, partial: 'parts/field-secret', generateOp: `generate:${text}`, generated: isNew ? view.value : '' };
}
