import type { FieldFault } from '../../domain/core/errors.ts';
import type { FormModel } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { forgottenFile, MAX_UPLOAD_BYTES } from '../input/load-file.ts';
import type { ExcerptLine, TextView, WholeYamlView } from '../view/form-view-model.ts';

const LEAST_LINES = 16;
const MAX_LINES = 40;
const AROUND = 2;
const MAX_LINE_LENGTH = 200;

/** The YAML field of the root as the whole form: larger, with a way back, and with the lines around what is wrong. */
export function wholeYamlView(
  { root }: FormModel,
  view: TextView,
  { faults, fields }: { readonly faults: readonly FieldFault[]; readonly fields: URLSearchParams },
): WholeYamlView {
  const path = formatPath(root.path);
  const wrong = faults.find(({ field, line }) => field === path && line !== undefined);
  const hasFields = root.kind === 'group';
  return {
    ...view,
    hint: hasFields ? 'The values, or a whole resource with apiVersion, kind, metadata and spec.' : view.hint,
    rows: Math.min(MAX_LINES, Math.max(LEAST_LINES, view.value.split('\n').length + 1)),
    fieldsOp: '',
    formOp: hasFields ? `fields:${path}` : '',
    skeletonOp: hasFields ? `skeleton:${path}` : '',
    upload: {
      loaded: fields.get('_loaded') ?? '',
      fault: fields.get('_rejected') ?? forgottenFile(fields)[0]?.message ?? '',
      limit: `${MAX_UPLOAD_BYTES / 1024} KiB`,
    },
    excerpt: excerptOf(view.value, wrong?.line),
  };
}

function excerptOf(text: string, line: number | undefined): ExcerptLine[] {
  if (line === undefined) return [];
  const first = Math.max(1, line - AROUND);
  const lines = text.split('\n').slice(first - 1, line + AROUND);
  return lines.map((content, index) => ({ number: first + index, text: content.slice(0, MAX_LINE_LENGTH), wrong: first + index === line }));
}
