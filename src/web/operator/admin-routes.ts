import { Router } from 'express';
import type { AuditEntry, AuditOutcome } from '../../domain/audit/audit-log.ts';
import { countsOf } from '../../domain/audit/changed-objects.ts';
import type { DraftKind } from '../../domain/catalog/draft-kinds.ts';
import type { DraftEvidence, DraftOrigin } from '../../domain/catalog/draft-owner.ts';
import { pageByKey } from '../../domain/core/page-by-key.ts';
import type { CatalogFault } from '../../domain/operator/operator.ts';
import type { AuditPage } from '../../operation/audit/list-audit-events.ts';
import type { OperatorAddress } from '../../operation/operator/find-operator.ts';
import { newOperatorRoutes, operatorRoutes, operatorsRoutes } from './operator-routes.ts';
import type { Badge } from '../page/badges.ts';
import { type Answer, page, type WebDeps } from '../page/page.ts';
import { draftsPath, hrefWith, instancePath, operatorPath } from '../page/paths.ts';
import { appDefinitionRoutes } from '../app-definition/app-definition-routes.ts';
import { releaseRoutes } from '../release/release-routes.ts';
import { keepRoutes } from '../page/keep-routes.ts';
import { sourceActRoutes } from '../source/source-act-routes.ts';
import { sourcePreviewRoutes } from '../source/preview-routes.ts';
import { sourceRoutes } from '../source/source-routes.ts';
import { accessReviewRoutes } from '../permission/permission-routes.ts';
import { upgradeRoutes } from '../upgrade/upgrade-routes.ts';

const ENTRIES_A_PAGE = 50;

interface FaultRow {
  /** `operators/cache.yaml:12:3`; without a line when the fault is the file's as a whole; the path of a field where no file is at fault. */
  readonly place: string;
  readonly source: string;
  readonly resource: string;
  readonly message: string;
}

/** The admin's pages. The operations reject everybody else, with the permission that is missing. */
export function adminRoutes(deps: WebDeps): Router {
  const { operations } = deps;
  const router = Router();
  router.use(
    operatorsRoutes(deps),
    newOperatorRoutes(deps),
    operatorRoutes(deps),
    upgradeRoutes(deps),
    appDefinitionRoutes(deps),
    sourceRoutes(deps),
    sourceActRoutes(deps),
    keepRoutes(deps),
    sourcePreviewRoutes(deps),
    releaseRoutes(deps),
    accessReviewRoutes(deps),
  );
  router.get(
    '/catalog/faults',
    page(deps, async ({ actor }) => showFaults(await operations.listFaults(actor))),
  );
  router.get(
    '/catalog/drafts',
    page(deps, async ({ actor, query }) => {
      const search = parseDraftsQuery(query);
      const model = draftsPage(await operations.listDrafts(actor, search.operator), search);
      return { view: 'drafts', title: 'Drafts', section: 'drafts', model };
    }),
  );
  router.get(
    '/admin/audit-log',
    page(deps, async ({ actor, query }) => {
      const search = parseAuditSearch(query);
      const found = await operations.listAuditEvents(actor, { ...search, limit: ENTRIES_A_PAGE });
      return { view: 'admin/audit-log', title: 'Audit log', section: 'none', model: auditPage(found, search) };
    }),
  );
  return router;
}

function showFaults(faults: readonly CatalogFault[]): Answer {
  return { view: 'faults', title: 'Catalogue faults', section: 'faults', model: faultsPage(faults) };
}

function faultsPage(faults: readonly CatalogFault[]): { faults: FaultRow[] } {
  return { faults: faults.map(faultRow) };
}

function faultRow({ file, line, column, source, resource, field, message }: CatalogFault): FaultRow {
  const place = [file === '' ? (field ?? '') : file, ...(line > 0 ? [line] : []), ...(line > 0 && column > 0 ? [column] : [])].join(':');
  return { place, source, resource: resource ?? '', message };
}

/** What an address of the audit log asks for. */
export interface AuditSearch {
  readonly person: string;
  readonly environment: string;
  readonly text: string;
  readonly before?: number;
}

/** A row of the audit log. */
export interface AuditRow {
  readonly time: string;
  readonly user: string;
  /** `oidc:team-a, oidc:devs`; empty without any. */
  readonly groups: string;
  /** `Create instance` */
  readonly action: string;
  readonly target: string;
  /** The page of an Instance; empty where there is none. */
  readonly href: string;
  readonly outcome: Badge;
  /** The code of the error; empty on success. */
  readonly code: string;
  readonly from: string;
  readonly requestId: string;
  /** The personal access token by name and id; empty without one. */
  readonly token: string;
  /** Entries of the same change; empty where none is known. */
  readonly changeHref: string;
  /** `Release shop-web, revision 2`; empty where there is none. */
  readonly release: string;
  /** `2 created, 1 removed`; empty where there are no objects. */
  readonly counts: string;
  readonly objects: readonly ObjectList[];
  /** How many more there are than the lists name; 0: none. */
  readonly more: number;
}

interface ObjectList {
  readonly label: string;
  readonly names: string;
}

export interface AuditView extends Omit<AuditSearch, 'before'> {
  readonly rows: readonly AuditRow[];
  readonly filtered: boolean;
  /** Empty on the first page. */
  readonly newestHref: string;
  /** Empty on the last page. */
  readonly olderHref: string;
}

const PATH = '/admin/audit-log';
const MAX_LENGTH = 200;

/** The query in an address; what is no id counts as none. */
function parseAuditSearch(parameters: URLSearchParams): AuditSearch {
  const word = (name: string): string => (parameters.get(name) ?? '').trim().slice(0, MAX_LENGTH);
  const before = /^[0-9]{1,15}$/.test(word('before')) ? { before: Number(word('before')) } : {};
  return { person: word('person'), environment: word('environment'), text: word('text'), ...before };
}

function auditPage({ entries, next }: AuditPage, { before, ...words }: AuditSearch): AuditView {
  return {
    ...words,
    rows: entries.map(rowOf),
    filtered: Object.values(words).some((word) => word !== ''),
    newestHref: before === undefined ? '' : hrefWith(PATH, words),
    olderHref: next === undefined ? '' : hrefWith(PATH, { ...words, before: String(next) }),
  };
}

function rowOf(entry: AuditEntry): AuditRow {
  const { time, user, groups, action, target, outcome, code, via, requestId, environment, token = '' } = entry;
  return {
    time,
    user,
    groups: groups.join(', '),
    action: `${action.charAt(0).toUpperCase()}${action.slice(1)}`,
    target,
    href: hrefOfTarget(action, environment, target),
    outcome: { label: WORDS[outcome], ...TONES[outcome] },
    code,
    from: ORIGINS[via],
    requestId,
    token,
    ...changeRow(entry),
  };
}

/** What the controller did, and whose change it follows. */
function changeRow({
  change = '',
  release,
  objects,
}: AuditEntry): Pick<AuditRow, 'changeHref' | 'release' | 'counts' | 'objects' | 'more'> {
  const lists = objects === undefined ? [] : OBJECT_LISTS.map(([key, label]) => ({ label, names: objects[key].join(', ') }));
  return {
    changeHref: change === '' ? '' : hrefWith(PATH, { person: '', environment: '', text: change }),
    release: release === undefined ? '' : `Release ${release.name}, revision ${release.revision}`,
    counts: objects === undefined ? '' : countsOf(objects),
    objects: lists.filter(({ names }) => names !== ''),
    more: objects?.more ?? 0,
  };
}

const OBJECT_LISTS = [
  ['created', 'Created'],
  ['changed', 'Changed'],
  ['removed', 'Removed'],
  ['hooks', 'Hooks'],
] as const;

function hrefOfTarget(action: string, environment: string, target: string): string {
  const [place = '', app = '', name = ''] = target.split('/');
  const isInstance =
    /^((create|update|test) instance|(install|upgrade|roll back|unlock|test) release)$/.test(action) &&
    place === environment &&
    app !== '' &&
    name !== '';
  return isInstance ? instancePath({ environment, app, name }) : '';
}

const ORIGINS: Readonly<Record<AuditEntry['via'], string>> = { page: 'a page', api: 'the REST API', controller: 'the controller' };
const WORDS: Readonly<Record<AuditOutcome, string>> = { succeeded: 'Succeeded', rejected: 'Rejected', failed: 'Failed' };
const TONES: Readonly<Record<AuditOutcome, Pick<Badge, 'tone' | 'symbol'>>> = {
  succeeded: { tone: 'good', symbol: 'check' },
  rejected: { tone: 'warn', symbol: 'warn' },
  failed: { tone: 'bad', symbol: 'bad' },
};

/** Drafts on one page. */
const DRAFTS_A_PAGE = 50;

/** A view of `drafts`. */
export interface DraftsPage {
  /** `namespace/name`; empty: those of all. */
  readonly operator: string;
  readonly operatorHref: string;
  readonly allHref: string;
  readonly total: number;
  readonly drafts: readonly DraftRow[];
  readonly nextHref: string;
  readonly firstHref: string;
}

interface DraftRow {
  readonly kind: string;
  readonly name: string;
  /** RFC 3339. */
  readonly created: string;
  readonly facts: readonly Fact[];
  readonly instructions: string;
  readonly yamlLabel: string;
  readonly yaml: string;
}

interface Fact {
  readonly term: string;
  readonly text: string;
  readonly href?: string;
}

/** What an address asks for. */
export interface DraftsQuery {
  readonly operator?: OperatorAddress;
  readonly after?: string;
}

function parseDraftsQuery(parameters: URLSearchParams): DraftsQuery {
  const [namespace = '', name = ''] = (parameters.get('operator') ?? '').split('/');
  const after = parameters.get('after') ?? '';
  return {
    ...(namespace === '' || name === '' ? {} : { operator: { namespace, name } }),
    ...(after === '' ? {} : { after }),
  };
}

function draftsPage(drafts: readonly DraftKind[], { operator, after }: DraftsQuery): DraftsPage {
  const page = pageByKey(drafts, ({ name }) => name, { limit: DRAFTS_A_PAGE, ...(after === undefined ? {} : { after }) });
  return {
    operator: operator === undefined ? '' : `${operator.namespace}/${operator.name}`,
    operatorHref: operator === undefined ? '' : operatorPath(operator),
    allHref: draftsPath(),
    total: drafts.length,
    drafts: page.items.map(draftRow),
    nextHref: page.next === undefined ? '' : draftsPath(operator, page.next),
    firstHref: after === undefined ? '' : draftsPath(operator),
  };
}

function draftRow({ name, kind, group, scope, versions, established, created, origin, operator, publication }: DraftKind): DraftRow {
  return {
    kind,
    name,
    created,
    facts: [
      { term: 'CRD', text: name },
      { term: 'Group', text: group },
      { term: versions.length === 1 ? 'Version' : 'Versions', text: versions.join(', ') },
      { term: 'Scope', text: scope },
      { term: 'Established', text: established ? 'Yes' : 'No' },
      { term: 'Origin', text: originText(origin) },
      ...(operator === undefined
        ? []
        : [
            {
              term: 'Probable Operator',
              text: `${operator.namespace}/${operator.name} (${EVIDENCE[operator.evidence]})`,
              href: operatorPath(operator),
            },
          ]),
    ],
    instructions: publication.instructions,
    yamlLabel: `${publication.file ?? 'YAML'} for ${kind}`,
    yaml: publication.yaml,
  };
}

function originText(origin: DraftOrigin): string {
  switch (origin.kind) {
    case 'Operator':
      return `Operator ${origin.name}`;
    case 'HelmRelease':
      return `Helm release ${origin.name}`;
    case 'FieldManager':
      return `Field manager ${origin.name}`;
    case 'Unknown':
      return 'Unknown';
    default:
      return origin satisfies never;
  }
}

const EVIDENCE: Readonly<Record<DraftEvidence, string>> = {
  Claim: 'claims it',
  FormerOperator: 'former owner',
  Release: 'its Helm release',
  Labels: 'by its labels',
  FieldManager: 'by its field manager',
  Group: 'same API group',
};
