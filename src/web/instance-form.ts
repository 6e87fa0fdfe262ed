import { isAppError, type AppError, type FieldFault } from '../domain/errors.ts';
import type { JsonObject } from '../domain/resource.ts';
import type { FormModel } from '../schema/form-node.ts';
import { errorSummary } from './form/error-summary.ts';
import type { FormView } from './form/form-view-model.ts';
import type { ShownChoices } from './form/shown-choices.ts';
import { FILE_FIELD } from './form/load-file.ts';
import { formView, type ShownPreset } from './form/form-view.ts';
import { locateFaults } from './form/locate-faults.ts';

/** A form as it is shown, with what is wrong in it. */
export interface ShownForm {
  readonly form: FormView;
  readonly errors: readonly { readonly message: string; readonly href: string }[];
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
const MOST_FAULTS = 100;

export function showForm(
  model: FormModel,
  fields: URLSearchParams,
  state: {
    readonly faults: readonly FieldFault[];
    readonly base: JsonObject;
    readonly choices?: ShownChoices;
    readonly preset?: ShownPreset;
  },
): ShownForm {
  const own = state.faults.filter((fault) => ownField(fault) !== undefined);
  const others = state.faults.filter((fault) => ownField(fault) === undefined);
  const located = locateFaults(model, fields, others.slice(0, MOST_FAULTS));
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

/** The message of a fault of one of the page's own inputs; empty without one. */
export function ownFault(faults: readonly FieldFault[], field: 'environment' | 'metadata.name' | 'title' | 'description'): string {
  return faults
    .filter((fault) => fault.field === field)
    .map((fault) => fault.message)
    .join('. ');
}

function ownField({ field }: FieldFault): { readonly href: string } | undefined {
  return field !== undefined && Object.hasOwn(OWN_FIELDS, field) ? OWN_FIELDS[field] : undefined;
}

/** What a refusal says about the input, to be shown beside it; undefined for errors that no other input would avoid. */
export function faultsOfRefusal(error: unknown): readonly FieldFault[] | undefined {
  if (!isAppError(error, 'InvalidInput', 'AlreadyExists', 'AdmissionDenied', 'QuotaExceeded')) return undefined;
  return error.faults.length > 0 ? error.faults : [wholeFault(error)];
}

function wholeFault(error: AppError): FieldFault {
  return error.code === 'AlreadyExists' ? { field: 'metadata.name', message: error.message } : { message: error.message };
}
