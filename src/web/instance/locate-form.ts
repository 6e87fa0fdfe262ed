import type { FieldFault } from '../../domain/core/errors.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { errorSummary } from '../../form/view/error-summary.ts';
import type { FormView } from '../../form/view/form-view-model.ts';
import type { ShownChoices } from '../../form/view/view-context.ts';
import { FILE_FIELD } from '../../form/input/load-file.ts';
import { formView, type ShownPreset } from '../../form/view/form-view.ts';
import { locateFaults } from '../../form/input/locate-faults.ts';

/** A form with what is wrong in it. */
export interface LocatedForm {
  readonly form: FormView;
  readonly errors: readonly { readonly message: string; readonly href: string }[];
}

export interface LocatedState {
  readonly faults: readonly FieldFault[];
  readonly base: Json;
  readonly choices?: ShownChoices;
  readonly preset?: ShownPreset;
}

/** The inputs of pages beside those of the form itself, by the field that faults name. */
const OWN_FIELDS: Readonly<Record<string, { readonly href: string; readonly label: string }>> = {
  environment: { href: '#environment', label: 'Environment' },
  'metadata.name': { href: '#name', label: 'Name' },
  title: { href: '#title', label: 'Title' },
  description: { href: '#description', label: 'Description' },
  [FILE_FIELD]: { href: '#upload', label: 'File' },
};

/** Nobody corrects more at once; each is looked up in the form. */
const MAX_FAULTS = 100;

/** The view of a form, faults at their fields. */
export function locateForm(model: FormModel, fields: URLSearchParams, state: LocatedState): LocatedForm {
  const own = state.faults.filter((fault) => ownField(fault) !== undefined);
  const others = state.faults.filter((fault) => ownField(fault) === undefined);
  const located = locateFaults(model, fields, others.slice(0, MAX_FAULTS));
  const lines = [
    ...own.map((fault) => ({ message: fault.message, href: ownField(fault)?.href ?? '' })),
    ...errorSummary(located, model).map(({ href, message }) => ({ href, message })),
    ...moreFaults(others.length - located.length),
  ];
  return { form: formView(model, { ...state, fields, faults: located }), errors: lines };
}

function moreFaults(count: number): { message: string; href: string }[] {
  if (count <= 0) return [];
  return [{ message: `${count} more ${count === 1 ? 'problem is' : 'problems are'} shown once these are corrected`, href: '' }];
}

function ownField({ field }: FieldFault): { readonly href: string } | undefined {
  return field !== undefined && Object.hasOwn(OWN_FIELDS, field) ? OWN_FIELDS[field] : undefined;
}
