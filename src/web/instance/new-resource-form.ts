import type { FieldFault } from '../../domain/core/errors.ts';
import { newResource } from '../../domain/instance/instance-content.ts';
import { parseObjectName } from '../../domain/kubernetes/names.ts';
import type { KnownType } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { fillRequired } from '../../form/input/fill-required.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import type { Answer, Visit } from '../page/page.ts';
import { editForm, type InstanceWrite, kindOf, orCorrect, submitForm } from './form-commands.ts';
import { faultsOfRejection } from './instance-form.ts';

/** What was typed of a resource that is not there yet. */
export interface NewResourceDraft {
  readonly name: string;
  readonly fields: URLSearchParams;
  readonly faults: readonly FieldFault[];
}

/** The form of a new cluster-scoped resource of ours. */
interface NewResourceForm {
  readonly type: KnownType;
  readonly model: FormModel;
  /** The form again, as a draft has it. */
  readonly show: (draft: NewResourceDraft) => Promise<Answer>;
  readonly steps: (resource: KubeObject) => Omit<InstanceWrite, 'correct'>;
}

/** Answers a form that was sent: with the form again while it is edited or wrong, else with what its button asks for. */
export async function receiveNewResource(visit: Visit, { type, model, show, steps }: NewResourceForm): Promise<Answer> {
  const { body } = visit;
  const kind = kindOf(type);
  const whole = await runFormJob('openWhole', model, body, kind);
  const typed = (body.get('name') ?? '').trim();
  const name = typed === '' ? whole.name : typed;
  const edit = await editForm(visit, { model, resource: kind, base: {}, name });
  if (edit !== undefined) return edit.kind === 'File' ? edit.file : await show({ name, ...edit.draft });
  const { values, faults } = await runFormJob('formToValues', model, whole.fields, {});
  const correct = async (wrong: readonly FieldFault[]): Promise<Answer> => await show({ name, fields: body, faults: wrong });
  const all = [...nameFaults(name, whole.name), ...whole.faults, ...faults];
  if (all.length > 0) return await correct(all);
  try {
    return await submitForm(body, { ...steps(newResource(type, name, fillRequired(model, values))), correct });
  } catch (error) {
    return await orCorrect(error, correct);
  }
}

function nameFaults(name: string, inYaml: string): readonly FieldFault[] {
  const field = 'metadata.name';
  if (inYaml !== '' && inYaml !== name) return [{ field, message: `The YAML has the name ${inYaml}; use the same name in both places` }];
  try {
    parseObjectName(name);
    return [];
  } catch (error) {
    return faultsOfRejection(error) ?? [];
  }
}
