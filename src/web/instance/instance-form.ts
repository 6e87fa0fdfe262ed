import { isAppError, type AppError, type FieldFault } from '../../domain/core/errors.ts';
import type { HiddenInput } from '../../domain/core/packed-inputs.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import type { FormView } from '../../form/view/form-view-model.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import type { LocatedState } from './locate-form.ts';
import type { Visit, WebDeps } from '../page/page.ts';
import { mintSafeHtml, type SafeHtml } from '../page/safe-html.ts';

/** A form as it is shown, with what is wrong in it. */
export interface ShownForm {
  /** False where it is HTML already. */
  readonly form: FormView | false;
  readonly formHtml: SafeHtml | false;
  readonly errors: readonly { readonly message: string; readonly href: string }[];
  /** What the fields on the page refer to. */
  readonly resources: readonly string[];
  /** The secrets that were typed, sealed. */
  readonly sealed: readonly HiddenInput[];
}

/** Seals inputs for the person who gets the page. */
export type SealInputs = (inputs: readonly HiddenInput[]) => readonly HiddenInput[];

export function sealFor({ seal }: Pick<WebDeps, 'seal'>, { actor }: Pick<Visit, 'actor'>): SealInputs {
  return (inputs) => seal.seal(actor.user, inputs);
}

/** The view of a form; what is large is laid out and rendered in another thread. */
export async function showForm(
  model: FormModel,
  fields: URLSearchParams,
  { seal, ...state }: LocatedState & { readonly seal: SealInputs },
): Promise<ShownForm> {
  const { html, secrets, ...shown } = await runFormJob('renderForm', model, fields, state);
  return { ...shown, formHtml: html !== '' && mintSafeHtml(html), sealed: seal(secrets) };
}

/** The message of a fault of one of the page's own inputs; empty without one. */
export function ownFault(faults: readonly FieldFault[], field: 'environment' | 'metadata.name' | 'title' | 'description'): string {
  return faults
    .filter((fault) => fault.field === field)
    .map((fault) => fault.message)
    .join('. ');
}

/** What a rejection says about the input, to be shown beside it; undefined for errors that no other input would avoid. */
export function faultsOfRejection(error: unknown): readonly FieldFault[] | undefined {
  if (!isAppError(error, 'InvalidInput', 'AlreadyExists', 'AdmissionDenied', 'QuotaExceeded', 'WebhookUnavailable')) return undefined;
  return error.faults.length > 0 ? error.faults : [wholeFault(error)];
}

function wholeFault(error: AppError): FieldFault {
  return error.code === 'AlreadyExists' ? { field: 'metadata.name', message: error.message } : { message: error.message };
}
