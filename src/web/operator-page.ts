import type { CatalogFault, OperatorView } from '../domain/operator.ts';
import { type Badge, operatorBadge } from './badges.ts';
import { conditionRows, type ConditionRow } from './conditions.ts';
import { appPath, operatorPath } from './paths.ts';

export interface OperatorRow {
  readonly href: string;
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  readonly status: Badge;
  readonly chart: string;
  readonly version: string;
  /** A newer version on offer; empty when there is none. */
  readonly available: string;
  readonly kinds: readonly string[];
  /** Empty while nobody has counted them. */
  readonly instances: string;
  readonly message: string;
}

export interface OperatorPage extends OperatorRow {
  readonly created: string;
  readonly chartFacts: readonly Fact[];
  readonly releaseFacts: readonly Fact[];
  readonly values: readonly { readonly path: string; readonly origin: string }[];
  readonly crds: readonly CrdRow[];
  readonly conditions: readonly ConditionRow[];
  readonly command: string;
}

type CrdRow = Omit<OperatorView['crds'][number], 'instances'> & { readonly href: string; readonly instances: string };

interface Fact {
  readonly term: string;
  readonly text: string;
}

export function operatorsPage(operators: readonly OperatorView[]): { operators: OperatorRow[]; summary: string } {
  const trouble = operators.filter((operator) => operator.status === 'ERROR').length;
  return { operators: operators.map(operatorRow), summary: trouble === 0 ? '' : `${trouble} of ${operators.length} need attention` };
}

export function operatorPage(operator: OperatorView): OperatorPage {
  const { chart, release, namespace, name } = operator;
  return {
    ...operatorRow(operator),
    created: operator.created,
    chartFacts: facts([
      ['Address', chart.address],
      ['Name', chart.name],
      ['Version', chart.version],
      ['Available version', chart.availableVersion],
      ['App version', chart.appVersion],
      ['Digest', chart.digest],
    ]),
    releaseFacts: facts([
      ['Name', release?.name],
      ['Namespace', release?.namespace],
      ['Revision', release === undefined ? undefined : String(release.revision)],
      ['State', release?.status],
    ]),
    values: operator.values ?? [],
    crds: operator.crds.map((crd) => ({ ...crd, href: appPath(crd.name), instances: countText([crd]) })),
    conditions: conditionRows(operator.conditions),
    command: `kubectl describe operators.operatorcontroller.kubeplus ${name} --namespace ${namespace}`,
  };
}

function operatorRow(operator: OperatorView): OperatorRow {
  const { namespace, name, chart } = operator;
  return {
    href: operatorPath(operator),
    namespace,
    name,
    displayName: operator.displayName === '' ? name : operator.displayName,
    status: operatorBadge(operator),
    chart: chart.name ?? chart.address,
    version: chart.version ?? '',
    available: chart.availableVersion ?? '',
    kinds: operator.crds.map((crd) => crd.kind),
    instances: countText(operator.crds),
    message: operator.message,
  };
}

/** The sum, when each of them has been counted. */
function countText(crds: OperatorView['crds']): string {
  const counts = crds.flatMap(({ instances }) => (instances === undefined ? [] : [instances]));
  return counts.length === crds.length && counts.length > 0 ? String(counts.reduce((sum, count) => sum + count, 0)) : '';
}

function facts(pairs: readonly (readonly [string, string | undefined])[]): readonly Fact[] {
  return pairs.flatMap(([term, text]) => (text === undefined || text === '' ? [] : [{ term, text }]));
}

export interface FaultRow {
  /** `operators/cache.yaml:12:3`; without a line when the fault is the file's as a whole. */
  readonly place: string;
  readonly source: string;
  readonly resource: string;
  readonly message: string;
}

export function faultsPage(faults: readonly CatalogFault[]): { faults: FaultRow[] } {
  return { faults: faults.map(faultRow) };
}

function faultRow({ file, line, column, source, resource, message }: CatalogFault): FaultRow {
  const place = [file, ...(line > 0 ? [line] : []), ...(line > 0 && column > 0 ? [column] : [])].join(':');
  return { place, source, resource: resource ?? '', message };
}
