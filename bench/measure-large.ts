import { buildForm } from '../src/form/model/form-model.ts';
import type { FormModel } from '../src/form/model/form-node.ts';
import { cacheForm } from '../src/form/model/cache-form.ts';
import { formView } from '../src/form/view/form-view.ts';
import { valuesToFields } from '../src/form/input/values-to-fields.ts';
import { createViews } from '../src/web/page/view-engine.ts';
import { largeKind } from '../test/support/large-kind.ts';
import { medianMs } from './median.ts';

/** What opening the form of a kind costs. Times in milliseconds, medians of several runs. */
export interface Opened {
  readonly leaves: number;
  /** The form is made: once, while its CRD stays the same. */
  readonly makeMs: number;
  /** Each page of it from then on. */
  readonly firstMs: number;
  readonly searchMs: number;
  readonly firstBytes: number;
  readonly searchBytes: number;
}

const views = createViews('views', { asset: (file) => file, now: () => 0 });

/** Opens the form of a kind with so many leaves that is made up after the largest real ones. */
export function measureOpened(leaves: number): Opened {
  const schema = largeKind(leaves);
  const input = { schema, root: 'spec', curated: [], mode: 'create' } as const;
  const first = (): string => openForm(cacheForm(input), '');
  const search = (): string => openForm(cacheForm(input), 'timeout');
  return {
    leaves,
    makeMs: medianMs(() => buildForm(input)),
    firstMs: medianMs(first),
    searchMs: medianMs(search),
    firstBytes: Buffer.byteLength(first()),
    searchBytes: Buffer.byteLength(search()),
  };
}

/** The HTML of an empty form, searched for some words. */
export function openForm(model: FormModel, words: string): string {
  const fields = valuesToFields(model, {});
  if (words !== '') fields.set('_q', words);
  return views.render('parts/form', formView(model, { fields, base: {}, faults: [] }));
}
