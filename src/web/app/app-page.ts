import { type App, ownerOf } from '../../domain/app/app.ts';
import { limitSentence } from '../../domain/app-definition/limits.ts';
import { appCard, type AppCard, type AppIcon, appIcon } from './app-card.ts';
import { availabilityBadge, type Badge } from '../page/badges.ts';
import { renderMarkdown } from '../page/markdown.ts';
import { listParameters, type Parameter } from '../page/parameters.ts';
import { appPath, installPath, operatorPath, referencePath } from '../page/paths.ts';
import type { SafeHtml } from '../page/safe-html.ts';
import { Router } from 'express';
import { OURS } from '../../domain/kubernetes/names.ts';
import { manifestYaml } from '../../domain/instance/instance-commands.ts';
import type { Manual } from '../../operation/app/describe-app.ts';
import { defaultText, relationText, usageText } from '../../operation/app/description-text.ts';
import type { Explanation, FieldFact } from '../../operation/app/explain-app.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { yamlText } from '../page/yaml-text.ts';

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

/** The reference of an App: its manual page, and one field with the fields below it at a time. */
export function referenceRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    '/apps/:app/reference',
    page(deps, async (visit) => await showReference(deps, visit)),
  );
  return router;
}

async function showReference({ operations }: WebDeps, { actor, param, query }: Visit): Promise<Answer> {
  const kind = { kind: param('app'), group: '' };
  const field = (query.get('field') ?? '').trim().slice(0, MAX_PATH);
  const [manual, explained] = await Promise.all([
    operations.showManual(actor, kind),
    field === '' ? undefined : operations.explainApp(actor, { ...kind, field, environment: '' }),
  ]);
  const { app, displayName } = manual;
  const label = 'Reference';
  const crumbs = [
    { label: 'Catalogue', href: '/' },
    { label: displayName, href: appPath(app) },
    ...(explained === undefined ? [{ label }] : [{ label, href: referencePath(app) }, { label: explained.field }]),
  ];
  const title = explained === undefined ? `Reference of ${displayName}` : `${explained.field} of ${displayName}`;
  return { view: 'apps/reference', title, section: 'catalog', crumbs, model: { title, ...referencePage(manual, explained) } };
}

const MAX_PATH = 2_000;
/** Characters of a default in a table; the page of the field has all of it. */
const SHOWN_DEFAULT = 120;

/** A view of `apps/reference`. */
interface ReferencePage {
  readonly displayName: string;
  readonly summary: string;
  readonly backHref: string;
  /** The field that was asked for; absent on the page of the App. */
  readonly field?: FieldRow & { readonly paragraphs: readonly string[]; readonly fullDefault: string };
  /** Below the field, or of the App. */
  readonly fields: readonly FieldRow[];
  /** Absent on the page of a field. */
  readonly manual?: ManualPart;
}

interface FieldRow {
  readonly field: string;
  /** The page of the fields below it; empty where there are none. */
  readonly href: string;
  readonly type: string;
  readonly required: boolean;
  readonly default: string;
  readonly rules: string;
  /** The first line. */
  readonly description: string;
}

interface ManualPart extends Pick<Manual, 'outputs' | 'presets' | 'faults'> {
  readonly facts: readonly { readonly term: string; readonly text: string }[];
  readonly usage?: SafeHtml;
  /** The text of the CRD, or why it is not there. */
  readonly kindUsage: string;
  /** How another instance takes an output; empty without one. */
  readonly takeOutput: string;
  readonly relations: readonly string[];
  readonly composition: string;
  readonly example: string;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

function referencePage(manual: Manual, explained?: Explanation): ReferencePage {
  const { app, displayName, summary } = manual;
  const head = { displayName, summary, backHref: explained === undefined ? appPath(app) : referencePath(app) };
  if (explained === undefined) return { ...head, fields: manual.fields.map((fact) => rowOf(fact, app)), manual: manualPart(manual) };
  const paragraphs = explained.description.split('\n').filter((line) => line.trim() !== '');
  const field = { ...rowOf(explained, app), paragraphs, fullDefault: defaultText(explained) };
  return { ...head, field, fields: explained.fields.map((fact) => rowOf(fact, app)) };
}

function rowOf(fact: FieldFact, app: string): FieldRow {
  const { field, type, required, rules, children } = fact;
  const [description = ''] = fact.description.split('\n');
  const href = children === 0 ? '' : referencePath(app, field);
  const value = defaultText(fact);
  const cut = value.length > SHOWN_DEFAULT ? `${value.slice(0, SHOWN_DEFAULT)}…` : value;
  return { field, href, type, required, default: cut, rules: rules.join(', '), description };
}

function manualPart(manual: Manual): ManualPart {
  const { app, kind, group, version, category, provider, chartVersion = '', appVersion = '', usage, kindUsage } = manual;
  const { outputs, presets, faults, relations, composition, example } = manual;
  const [output] = outputs;
  const others = group === OURS.appsGroup ? {} : { apiVersion: `${group}/${version}` };
  const taken = {
    spec: { valuesFrom: [{ ...others, kind, name: 'INSTANCE', key: output?.name ?? '', targetPath: 'path.in.the.values' }] },
  };
  return {
    outputs,
    presets,
    faults,
    facts: [
      { term: 'Kind', text: kind },
      { term: 'API', text: `${group}/${version}` },
      { term: 'Category', text: category },
      { term: 'Provider', text: provider },
      { term: 'App version', text: appVersion },
      { term: 'Chart version', text: chartVersion },
    ].filter(({ text }) => text !== ''),
    ...(usage.trim() === '' ? {} : { usage: renderMarkdown(usage) }),
    kindUsage: usageText(kindUsage),
    takeOutput: output === undefined ? '' : yamlText(taken),
    relations: relations.map(relationText),
    composition: composition.join(', '),
    example: example === undefined ? '' : manifestYaml(example),
    commands: [
      { label: 'In a terminal', text: `chandlery man ${app}\nchandlery explain ${app}\nchandlery composition ${app}` },
      { label: 'With kubectl', text: `kubectl explain ${app} --recursive` },
    ],
  };
}
