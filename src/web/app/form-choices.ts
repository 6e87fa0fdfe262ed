import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import type { ShownChoices } from '../../form/view/view-context.ts';
import type { Operations } from '../../operation/operations.ts';

/** A form as it is about to be shown. */
export interface ChoicesWanted {
  readonly model: FormModel;
  readonly fields: URLSearchParams;
  readonly base: JsonObject;
  /** Where to look; undefined while none is chosen. */
  readonly environment: { readonly name: string; readonly displayName: string } | undefined;
}

/** What the fields that are on the page can refer to, read as the actor. Nothing is read for fields that are not. */
export async function readShownChoices(
  operations: Pick<Operations, 'listChoices'>,
  actor: Actor,
  { model, fields, base, environment }: ChoicesWanted,
): Promise<ShownChoices> {
  const resources = await runFormJob('resourcesOn', model, fields, base);
  if (environment === undefined || resources.length === 0) return { environment: '', byResource: new Map() };
  try {
    const found = await operations.listChoices(actor, { environment: environment.name, resources });
    return { environment: environment.displayName || environment.name, byResource: new Map(found.map((one) => [one.resource, one])) };
  } catch (error) {
    // Without choices the fields are what they were: texts.
    if (isAppError(error, 'NotFound', 'TooManyRequests')) return { environment: '', byResource: new Map() };
    throw error;
  }
}
