import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type { FieldFault } from '../../domain/core/errors.ts';
import { applyFormOp } from '../../form/input/apply-form-op.ts';
import { formToValues } from '../../form/input/form-to-values.ts';
import { locateFaults } from '../../form/input/locate-faults.ts';
import { valuesToFields } from '../../form/input/values-to-fields.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { resourcesShown } from '../../form/references/pick-view.ts';
import type { FormView } from '../../form/view/form-view-model.ts';
import { formView } from '../../form/view/form-view.ts';
import { keepYaml, openWhole } from '../../form/yaml/whole-yaml.ts';
import { formatPath } from '../../schema/form-path.ts';
import { readYaml } from '../../schema/yaml-text.ts';
import { installLink } from '../app/install-link.ts';
import { switchPreset } from '../app/install-presets.ts';
import {
  followRows,
  formatRows,
  formatSeen,
  keepPlaces,
  type Merge,
  mergeChanges as mergeSeen,
  parseSeen,
  seenOf,
} from '../instance/three-way.ts';
import { pressedFile } from '../instance/form-file.ts';
import { type LocatedForm, locateForm } from '../instance/locate-form.ts';
import { reviewYaml } from '../instance/review-yaml.ts';
import { readAssets } from '../page/assets.ts';
import { createViews, type Views } from '../page/view-engine.ts';

const IMMUTABLE = /\bimmutable\b|(?:may not|cannot|can't) (?:be )?change/i;

/** Fields that turned out to be frozen. */
interface FrozenFaults {
  /** Their paths. */
  readonly frozen: readonly string[];
  readonly faults: readonly FieldFault[];
}

/** What is done with forms, and may take longer than others should wait. Arguments and results are plain data, models, and inputs as URLSearchParams. */
export const FORM_JOBS = {
  applyFormOp,
  followRows,
  formToValues,
  formatRows,
  frozenFaults,
  installLink,
  keepPlaces,
  keepYaml,
  mergeChanges,
  openWhole,
  pressedFile,
  readYaml,
  renderForm,
  resourcesOn,
  reviewYaml,
  seenText,
  switchPreset,
  valuesToFields,
} as const;

export type FormJobs = typeof FORM_JOBS;
export type FormJob = keyof FormJobs;

/** A form that is shown: as a view, or as HTML where another thread has rendered it. */
export interface RenderedForm {
  readonly errors: LocatedForm['errors'];
  /** False where it is HTML. */
  readonly form: LocatedForm['form'] | false;
  /** Empty where it is a view. */
  readonly html: string;
  /** What the fields on the page refer to. */
  readonly resources: readonly string[];
  /** The inputs of secrets that were typed, which are in no page as they are. */
  readonly secrets: FormView['secrets'];
}

function renderForm(...input: Parameters<typeof locateForm>): RenderedForm {
  const { form, errors } = locateForm(...input);
  const resources = resourcesShown(form);
  const { secrets } = form;
  return isMainThread
    ? { errors, form, html: '', resources, secrets }
    : { errors, form: false, html: views().render('parts/form', form), resources, secrets };
}

function resourcesOn(...[model, fields, base]: Parameters<typeof formToValues>): readonly string[] {
  return resourcesShown(formView(model, { fields, base, faults: [] }));
}

function seenText(...input: Parameters<typeof seenOf>): string {
  return formatSeen(seenOf(...input));
}

const MAX_CONFLICTS = 100;

/** A merge as pages show it: of very many changes of others those that clash first, and the number of all that are left out. */
interface ShownMerge extends Merge {
  readonly more: number;
}

/** @param seen the text that the page carried. */
function mergeChanges(seen: string, ...rest: Tail<Parameters<typeof mergeSeen>>): ShownMerge {
  const { values, foreign } = mergeSeen(parseSeen(seen), ...rest);
  if (foreign.length <= MAX_CONFLICTS) return { values, foreign, more: 0 };
  const first = foreign.toSorted((a, b) => Number(b.clash) - Number(a.clash)).slice(0, MAX_CONFLICTS);
  return { values, foreign: first, more: foreign.length - MAX_CONFLICTS };
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

const VIEWS = path.join(import.meta.dirname, '../../../views');
let known: Views | undefined;

function views(): Views {
  known ??= createViews(VIEWS, { asset: readAssets(path.join(VIEWS, 'static')).url, now: Date.now });
  return known;
}

/**
 * What the dry run of the api-server says cannot be changed, by a rule that the schema does not tell or that is not CEL. Such a field shows its live
 * value again for as long as the form is open, and says why.
 */
function frozenFaults(model: FormModel, fields: URLSearchParams, faults: readonly FieldFault[]): FrozenFaults {
  const located = locateFaults(model, fields, faults);
  const withPaths = faults.map((fault, index) => {
    const path = IMMUTABLE.test(fault.message) ? located[index]?.field : undefined;
    return path === undefined || path === formatPath(model.root.path)
      ? { fault, path: undefined }
      : { fault: { ...fault, message: `${fault.message}. The field has the live value again` }, path };
  });
  return { frozen: withPaths.flatMap(({ path }) => (path === undefined ? [] : [path])), faults: withPaths.map(({ fault }) => fault) };
}
