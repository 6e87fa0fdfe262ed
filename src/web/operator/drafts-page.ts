import type { DraftKind } from '../../domain/catalog/draft-kinds.ts';
import type { DraftEvidence, DraftOrigin } from '../../domain/catalog/draft-owner.ts';
import { pageByKey } from '../../domain/core/page-by-key.ts';
import { draftsPath, operatorPath } from '../page/paths.ts';
import type { OperatorAddress } from '../../operation/operator/find-operator.ts';

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

export function parseDraftsQuery(parameters: URLSearchParams): DraftsQuery {
  const [namespace = '', name = ''] = (parameters.get('operator') ?? '').split('/');
  const after = parameters.get('after') ?? '';
  return {
    ...(namespace === '' || name === '' ? {} : { operator: { namespace, name } }),
    ...(after === '' ? {} : { after }),
  };
}

export function draftsPage(drafts: readonly DraftKind[], { operator, after }: DraftsQuery): DraftsPage {
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
