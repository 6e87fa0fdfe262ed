import { isDeepStrictEqual } from 'node:util';
import type { FormSource } from '../src/compose/form-sources.ts';
import { stringifyJson } from '../src/domain/core/exact-json.ts';
import type { Json } from '../src/domain/kubernetes/resource.ts';
import { coverage, type Coverage } from '../src/form/model/coverage.ts';
import { buildForm } from '../src/form/model/form-model.ts';
import type { FormModel } from '../src/form/model/form-node.ts';
import { listFields } from '../src/form/model/list-fields.ts';
import { formToValues } from '../src/form/input/form-to-values.ts';
import { formView } from '../src/form/view/form-view.ts';
import { valuesToFields } from '../src/form/input/values-to-fields.ts';
import { createViews } from '../src/web/page/view-engine.ts';
import { medianMs } from './median.ts';
import { countTypedValues, type ValueCounts } from './typed-values.ts';
import { sampleOf } from './sample-values.ts';

/** What our form of a schema is like. Times in milliseconds, medians of several runs. */
export interface Ours {
  readonly coverage: Coverage;
  /** Of values.yaml; absent for a kind. */
  readonly valueCounts?: ValueCounts;
  /** Whether a value for every field, and the defaults of the chart, come back from the form as they went in. */
  readonly roundTrip: 'yes' | 'NO';
  readonly modelMs: number;
  /** The model, the view and the HTML of an empty form, as a request for it costs them. */
  readonly pageMs: number;
  readonly pageBytes: number;
  /** Fields and groups that stand in front of all others. */
  readonly inFront: number;
  /** Why each field is YAML that is. */
  readonly yamlReasons: readonly string[];
}

const views = createViews('views', { asset: (file) => file, now: () => 0 });

export function measureOurs(source: FormSource): Ours {
  const build = (): FormModel => buildForm({ ...source, curated: [], defaultsFrom: 'chart', mode: 'create' });
  const page = (): string => {
    const model = build();
    return views.render('parts/form', formView(model, { fields: valuesToFields(model, {}), base: {}, faults: [] }));
  };
  const model = build();
  const values = [sampleOf(model.root) ?? {}, source.defaults ?? {}];
  return {
    ...(source.values === undefined ? {} : { valueCounts: countTypedValues(model.root, source.values) }),
    coverage: coverage(source.schema, model),
    roundTrip: values.every((value) => isDeepStrictEqual(plain(formToValues(model, valuesToFields(model, value), {}).values), value))
      ? 'yes'
      : 'NO',
    modelMs: medianMs(build),
    pageMs: medianMs(page),
    pageBytes: Buffer.byteLength(page()),
    inFront: formView(model, { fields: valuesToFields(model, {}), base: {}, faults: [] }).main.length,
    yamlReasons: listFields(model).flatMap(({ reason }) => reason ?? []),
  };
}

function plain(value: Json): Json {
  return JSON.parse(stringifyJson(value)) as Json;
}
