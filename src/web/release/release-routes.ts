import { type RequestHandler, Router } from 'express';
import type { UpgradeVerdict } from '../../domain/upgrade/preview/upgrade-preview.ts';
import type { ReleaseUpgradeItem, ReleaseUpgradePreview, ReleaseView } from '../../operation/release/catalog-releases.ts';
import type { Badge } from '../page/badges.ts';
import { createLongWork } from '../page/long-work.ts';
import { type Answer, page, paramsOf, queryOf, type Visit, type WebDeps } from '../page/page.ts';
import { hrefWith, operatorPath, releasePath } from '../page/paths.ts';
import type { Crumb } from '../page/shell.ts';
import { plural } from '../page/view-helpers.ts';
import { upgradePage, type UpgradePage } from '../upgrade/upgrade-page.ts';
import { releasePage, releasesPage, releasesStatus } from './releases-page.ts';

const ROUTE = '/releases/:name';

/** The pages of CatalogReleases. */
export function releaseRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  const work = createLongWork();
  router.get(
    '/releases',
    page(deps, async ({ actor, query }) => {
      const model = releasesPage(await operations.listReleases(actor), query.get('after') ?? '');
      return { view: 'releases/index', title: 'Releases', section: 'releases', model };
    }),
  );
  router.get('/releases/stream', listStream(deps));
  router.get(
    ROUTE,
    page(deps, async ({ actor, param }) => {
      const release = await operations.showRelease(actor, { name: param('name') });
      return { view: 'releases/show', title: release.name, section: 'releases', crumbs: crumbs(release.name), model: releasePage(release) };
    }),
  );
  router.get(`${ROUTE}/stream`, stream(deps));
  router.get(
    `${ROUTE}/upgrade-preview`,
    page(deps, async (visit) => {
      const [name, target] = [visit.param('name'), targetOf(visit)];
      const words = {
        title: `Preparing the preview of ${name}`,
        text: 'Chandlery fetches and renders the charts of each Operator, and does a dry run of each object.',
        crumbs: crumbs(name, 'Upgrade preview'),
        section: 'releases',
      } as const;
      const address = hrefWith(releasePath(name, 'upgrade-preview'), { target });
      return await work.join(visit, address, { words, run: async () => await showPreview(deps, visit) });
    }),
  );
  return router;
}

/** Between two readings of a live page. */
const INTERVAL_MS = 5_000;

/** Sends the list again whenever something in it is different. */
function listStream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const after = queryOf(request).get('after') ?? '';
    await streams.answer(request, response, {
      key: `/releases?${after}`,
      intervalMs: INTERVAL_MS,
      reader: (actor) => () => operations.listReleases(actor),
      render: (releases) => ({ html: views.render('releases/list', releasesPage(releases, after)), status: releasesStatus(releases) }),
    });
  };
}

/** Sends a release again whenever something of it is different. */
function stream({ operations, views, streams }: WebDeps): RequestHandler {
  return async (request, response) => {
    const name = paramsOf(request).param('name');
    await streams.answer(request, response, {
      key: releasePath(name),
      intervalMs: INTERVAL_MS,
      reader: (actor) => () => operations.showRelease(actor, { name }),
      render: (release) => {
        const model = releasePage(release);
        return { html: views.render('releases/release', model), status: model.sentence };
      },
    });
  };
}

async function showPreview({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor } = visit;
  const [name, target] = [visit.param('name'), targetOf(visit)];
  const [releases, preview] = await Promise.all([
    operations.listReleases(actor),
    operations.previewRelease(actor, { name, ...(target === '' ? {} : { target }) }),
  ]);
  return {
    view: 'releases/upgrade-preview',
    title: `Upgrade to ${name}`,
    section: 'releases',
    crumbs: crumbs(name, 'Upgrade preview'),
    model: releasePreviewPage(preview, { releases, target, user: actor.user }),
  };
}

function targetOf({ query }: Visit): string {
  return (query.get('target') ?? '').trim().slice(0, 300);
}

function crumbs(name: string, below?: string): Crumb[] {
  const root = { label: 'Releases', href: '/releases' };
  return below === undefined ? [root, { label: name }] : [root, { label: name, href: releasePath(name) }, { label: below }];
}

/** A view of `releases/upgrade-preview`. */
interface ReleasePreviewPage {
  readonly name: string;
  readonly backHref: string;
  readonly action: string;
  /** Empty when there is no choice. */
  readonly targets: readonly { readonly value: string; readonly selected: boolean }[];
  readonly summary: Summary;
  readonly permissions: string;
  readonly items: readonly PreviewedOperator[];
  readonly omitted: string;
}

interface Summary {
  readonly tone: Badge['tone'];
  readonly symbol: string;
  readonly title: string;
  readonly text: string;
}

interface PreviewedOperator {
  /** Unique in the page. */
  readonly id: string;
  readonly title: string;
  readonly href: string;
  readonly badge: Badge;
  readonly facts: readonly { readonly term: string; readonly text: string; readonly href?: string }[];
  /** Why there is no preview; empty when there is one. */
  readonly failure: string;
  readonly preview?: Pick<UpgradePage, 'objects' | 'crds' | 'places' | 'noPlaces' | 'unchecked' | 'warnings'> & {
    readonly blockers: readonly string[];
    readonly values: readonly { readonly path: string; readonly from: string; readonly to: string; readonly origin: string }[];
    readonly moreValues: string;
  };
  readonly fullHref: string;
}

interface PageInput {
  readonly releases: readonly ReleaseView[];
  /** As `installation.cluster`; empty for all. */
  readonly target: string;
  readonly user: string;
}

function releasePreviewPage({ release, items, omitted }: ReleaseUpgradePreview, input: PageInput): ReleasePreviewPage {
  const { target, user } = input;
  return {
    name: release,
    backHref: releasePath(release),
    action: releasePath(release, 'upgrade-preview'),
    targets: targetsOf(release, input),
    summary: summaryOf(items, target),
    permissions:
      `Everything is read with your permissions (${user}). The dry runs use those of the controller where you may patch the Operator, ` +
      'and yours elsewhere. Nothing is written.',
    items: items.map(previewedOperator),
    omitted: omitted === 0 ? '' : `${plural(omitted, 'more Operator is', 'more Operators are')} not listed. Choose a target to see them.`,
  };
}

/** Whatever runs another release; the one of the address stays in the list. */
function targetsOf(release: string, { releases, target }: PageInput): ReleasePreviewPage['targets'] {
  const others = releases.filter(({ name }) => name !== release).flatMap(({ targets }) => targets.map(({ name }) => name));
  const names = [...new Set([...others.filter((name) => name !== 'unknown'), ...(target === '' ? [] : [target])])].sort();
  return names.map((value) => ({ value, selected: value === target }));
}

function summaryOf(items: readonly ReleaseUpgradeItem[], target: string): Summary {
  const all = plural(items.length, 'Operator', 'Operators');
  if (items.length === 0) {
    const text =
      target === '' ? 'No Operator of another release has another chart version or other base values.' : `Nothing changes in ${target}.`;
    return { tone: 'good', symbol: 'check', title: 'No changes', text };
  }
  const count = (...kinds: readonly string[]): number => items.filter((item) => kinds.includes(verdictOf(item))).length;
  if (count('Blocked') > 0) {
    return {
      tone: 'bad',
      symbol: 'bad',
      title: `${count('Blocked')} of ${all} blocked`,
      text: 'Resolve the blockers below before the upgrade.',
    };
  }
  if (count('Failed', 'Incomplete') > 0) {
    const title = 'No blockers found; some checks could not run';
    return { tone: 'warn', symbol: 'warn', title, text: `${count('Failed', 'Incomplete')} of ${all} could not be checked completely.` };
  }
  return { tone: 'good', symbol: 'check', title: 'Safe to upgrade', text: `The upgrade changes ${all}. Existing instances stay valid.` };
}

function verdictOf({ preview }: ReleaseUpgradeItem): UpgradeVerdict['kind'] | 'Failed' {
  return preview?.verdict.kind ?? 'Failed';
}

const VERDICTS: Readonly<Record<ReturnType<typeof verdictOf>, Badge>> = {
  Safe: { label: 'Safe', tone: 'good', symbol: 'check' },
  Incomplete: { label: 'Checked in part', tone: 'warn', symbol: 'unknown' },
  Blocked: { label: 'Blocked', tone: 'bad', symbol: 'bad' },
  Failed: { label: 'No preview', tone: 'warn', symbol: 'unknown' },
};

function previewedOperator(item: ReleaseUpgradeItem, index: number): PreviewedOperator {
  const { operator, from, to, target, release, changesValues, failure = '' } = item;
  return {
    id: `operator-${index + 1}`,
    title: `${operator.namespace}/${operator.name}`,
    href: operatorPath(operator),
    badge: VERDICTS[verdictOf(item)],
    facts: [
      { term: 'Chart version', text: from === to ? to : `${from} → ${to}` },
      { term: 'Target', text: target === '' ? 'unknown' : target },
      { term: 'Current release', text: release, href: releasePath(release) },
      { term: 'Base values', text: changesValues ? 'the release changes spec.values' : 'no changes' },
    ],
    failure,
    ...previewOf(item),
    fullHref: `${operatorPath(operator, 'upgrade')}?version=${encodeURIComponent(to)}`,
  };
}

function previewOf({ preview }: ReleaseUpgradeItem): Pick<PreviewedOperator, 'preview'> {
  if (preview === undefined) return {};
  const { objects, crds, places, noPlaces, unchecked, warnings, values } = upgradePage(preview);
  return {
    preview: {
      objects,
      crds,
      places,
      noPlaces,
      unchecked,
      warnings,
      blockers: preview.verdict.blockers,
      values: values.changed.map(({ path, from, to, origin, secret }) => ({
        path,
        from: secret ? 'not shown' : from === '' ? 'not set' : from,
        to: secret ? 'not shown' : to === '' ? 'removed' : to,
        origin,
      })),
      moreValues: values.omitted,
    },
  };
}
