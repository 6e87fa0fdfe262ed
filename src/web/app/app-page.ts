import { type App, ownerOf } from '../../domain/app/app.ts';
import { limitSentence } from '../../domain/app-definition/limits.ts';
import { appCard, type AppCard, appIcon, type AppIcon } from './app-card.ts';
import { availabilityBadge, type Badge } from '../page/badges.ts';
import { renderMarkdown } from '../page/markdown.ts';
import { listParameters, type Parameter } from '../page/parameters.ts';
import { appPath, installPath, operatorPath, referencePath } from '../page/paths.ts';
import type { SafeHtml } from '../page/safe-html.ts';

const APP_TABS = ['overview', 'parameters', 'versions'] as const;
export type AppTab = (typeof APP_TABS)[number];

export interface AppPage {
  readonly app: Pick<App, 'id' | 'kind' | 'group' | 'version' | 'displayName' | 'summary' | 'provider' | 'category' | 'tags'>;
  readonly icon: AppIcon;
  readonly availability: Badge;
  readonly message: string;
  /** Absent while it cannot be installed. */
  readonly installHref?: string;
  readonly docsHref?: string;
  readonly referenceHref: string;
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly current: boolean }[];
  readonly tab: AppTab;
  readonly readme?: SafeHtml;
  readonly parameters: { readonly search: string; readonly rows: readonly Parameter[]; readonly total: number };
  readonly versions: readonly (App['versions'][number] & { readonly used: boolean })[];
  readonly siblings: readonly AppCard[];
  readonly facts: readonly { readonly term: string; readonly text: string; readonly href?: string }[];
}

/** @param search narrows the parameters to those whose path or description holds it. */
export function appPage(app: App, view: { readonly tab: AppTab; readonly search: string; readonly admin: boolean }): AppPage {
  const parameters = listParameters(app.schema, app.sensitive ?? []);
  const wanted = view.search.toLowerCase();
  return {
    app: pickSummary(app),
    icon: appIcon(app),
    availability: availabilityBadge(app.availability),
    message: app.availability === 'Available' ? '' : app.availabilityMessage,
    ...(app.availability === 'Available' ? { installHref: installPath(app.id) } : {}),
    ...(app.docsURL !== undefined && /^https?:\/\//.test(app.docsURL) ? { docsHref: app.docsURL } : {}),
    referenceHref: referencePath(app.id),
    tabs: tabLinks(app.id, view.tab, parameters.length),
    tab: view.tab,
    ...(app.readme.trim() === '' ? {} : { readme: renderMarkdown(app.readme) }),
    parameters: {
      search: view.search,
      rows: parameters.filter((row) => `${row.path} ${row.description}`.toLowerCase().includes(wanted)),
      total: parameters.length,
    },
    versions: app.versions.map((version) => ({ ...version, used: version.name === app.version })),
    siblings: app.relatedApps.map(appCard),
    facts: factsOf(app, view.admin),
  };
}

export function parseAppTab(text: string | null): AppTab {
  return APP_TABS.find((tab) => tab === text) ?? 'overview';
}

function pickSummary({ id, kind, group, version, displayName, summary, provider, category, tags }: App): AppPage['app'] {
  return { id, kind, group, version, displayName, summary, provider, category, tags };
}

function tabLinks(app: string, current: AppTab, parameters: number): AppPage['tabs'] {
  const labels: Readonly<Record<AppTab, string>> = { overview: 'Overview', parameters: `Parameters (${parameters})`, versions: 'Versions' };
  return APP_TABS.map((tab) => ({
    label: labels[tab],
    href: appPath(app, tab === 'overview' ? undefined : tab),
    current: tab === current,
  }));
}

function factsOf(app: App, admin: boolean): AppPage['facts'] {
  const owner = ownerOf(app);
  const fact = { term: app.operator === undefined ? 'Defined by the AppDefinition' : 'Installed by the Operator', text: owner.name };
  return [
    { term: 'Provider', text: app.provider },
    { term: 'Category', text: app.category },
    ...(app.appVersion === undefined ? [] : [{ term: 'App version', text: app.appVersion }]),
    ...(app.chartVersion === undefined ? [] : [{ term: 'Chart version', text: app.chartVersion }]),
    { term: 'Limits', text: limitsText(app) },
    { term: 'Kind', text: app.kind },
    { term: 'API', text: `${app.group}/${app.version}` },
    admin && app.operator !== undefined ? { ...fact, href: operatorPath(app.operator) } : fact,
  ].filter((fact) => fact.text !== '');
}

/** `At most 3 instances. There is 1.` Empty without limits. */
export function limitsText({ limits }: Pick<App, 'limits'>): string {
  if (limits === undefined) return '';
  return `${limitSentence(limits)}. There ${limits.instances === 1 ? 'is 1' : `are ${limits.instances}`} in the cluster.`;
}
