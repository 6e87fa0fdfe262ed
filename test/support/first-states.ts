import type { SamplePage } from './sample-page.ts';
import { SAMPLE_PAGES } from './sample-pages.ts';

/** Of each page the first of its states. */
export const FIRST_STATES: readonly SamplePage[] = [...Map.groupBy(SAMPLE_PAGES, ({ path }) => shapeOf(path)).values()].flatMap(
  ([first]) => first ?? [],
);

/** The path of a page with `*` in place of names. */
function shapeOf(path: string): string {
  const ofOne =
    /\/(environments|sources|releases|app-definitions|apps|tokens|access-tokens|registration-tokens|saved-configurations|change-requests)\/[^/]+/g;
  const ofTwo = /\/(operators|instances|resources)\/[^/]+\/[^/]+/g;
  return (path.split('?')[0] ?? '').replaceAll(ofTwo, '/$1/*').replaceAll(ofOne, '/$1/*');
}
