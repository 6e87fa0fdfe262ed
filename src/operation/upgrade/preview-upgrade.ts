import type { Actor } from '../../domain/kubernetes/actor.ts';
import { placesOf } from '../../domain/operator/operator-instances.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { crdsOfOperator } from '../../domain/catalog/app-catalog.ts';
import { checkCatalogBlock } from '../../domain/catalog/check-catalog.ts';
import { joinFindings, type Finding } from '../../domain/preflight/findings.ts';
import { objectAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { APPROVED_UPGRADE } from '../../domain/upgrade/upgrade-approval.ts';
import { checkPreview, timingOf, upgradeWarnings } from '../../domain/upgrade/preview/check-preview.ts';
import { objectChanges } from '../../domain/upgrade/preview/object-changes.ts';
import type { PreviewedChart, PreviewedCrds, PreviewedInstances, UpgradePreview } from '../../domain/upgrade/preview/upgrade-preview.ts';
import { upgradeCommands, type UpgradeCommandInput } from '../../domain/upgrade/preview/upgrade-commands.ts';
import { valueChanges, type LayeredValues } from '../../domain/upgrade/preview/value-changes.ts';
import { crdClaimant } from '../../domain/operator/crd-owner.ts';
import { type CheckedUpgrade, checkUpgrade, EMPTY_RENDERING, immutableFields, type Rendering, renderPreview } from './check-upgrade.ts';
import type { Decisions } from '../../form/migration/decide-migration.ts';
import { decideOwnValues, type DecidedValues } from './decide-values.ts';
import type { OperatorAddress } from '../operator/find-operator.ts';
import { loadUpgradeInputs, type UpgradeInputs } from './upgrade-charts.ts';
import { listOperatorInstances } from '../operator/list-operator-instances.ts';
import { operatorPermissions, type OperatorPermissions } from '../operator/operator-permissions.ts';
import { previewCrds } from './preview-crds.ts';
import type { OverlaidValues } from './preview-values.ts';
import { operatorLabelValue } from '../../domain/operator/operator-spec.ts';
import type { Ports } from '../ports.ts';
import type { DryRun } from '../preflight/dry-run-objects.ts';
import { runQueued, type UpgradeChart } from './upgrade-ports.ts';

export interface PreviewInput extends OperatorAddress {
  /** The version to look at; empty: the one that waits, or the newest that the channel offers. */
  readonly version: string;
  /** What becomes of values that the new chart asks about; absent while nobody has decided. */
  readonly decisions?: Decisions;
  /** A merge patch of `spec.values`, to see what it would do. */
  readonly values?: JsonObject;
}

type PreviewPorts = Pick<Ports, 'clusters' | 'discovery' | 'catalog' | 'upgrades' | 'publicUrl'>;

const PATIENCE_MS = 90_000;

/**
 * What moving an Operator to another version of its chart would do, found out as the actor: what they may not read is left out, and named. Writes
 * nothing.
 *
 * @throws AppError as `findOperator`; `InvalidInput` for what is no version; as fetching a chart does when there is none.
 */
export async function previewUpgrade(ports: PreviewPorts, actor: Actor, input: PreviewInput): Promise<UpgradePreview> {
  const turn = { actor, milliseconds: PATIENCE_MS };
  return await runQueued(ports.upgrades, turn, async (signal) => await preview(ports, actor, { input, signal }));
}

async function preview(
  ports: PreviewPorts,
  actor: Actor,
  { input, signal }: { readonly input: PreviewInput; readonly signal: AbortSignal },
): Promise<UpgradePreview> {
  const gathered = await loadUpgradeInputs(ports, actor, { address: input, version: input.version, signal });
  const { charts, values } = gathered;
  const decided = decideOwnValues({ ...gathered, decisions: input.decisions });
  const context: PreviewContext = {
    ports,
    actor,
    input,
    ...gathered,
    decided,
    next: withOwn(values, ownOf(values, { decided, input })),
    signal,
  };
  const rendering = { action: 'upgrade', label: operatorLabelValue(input.namespace, input.name) } as const;
  const [before, after] = await Promise.all([
    charts.from === undefined ? EMPTY_RENDERING : renderPreview(ports, { ...context, ...rendering }, charts.from),
    renderPreview(ports, { ...context, ...rendering, values: context.next }, charts.to),
  ]);
  return await compose(context, { before, after }, await look(context, { before, after }));
}

interface PreviewContext extends UpgradeInputs {
  readonly ports: PreviewPorts;
  readonly actor: Actor;
  readonly input: PreviewInput;
  readonly decided: DecidedValues;
  /** The values as they become by what was decided. */
  readonly next: OverlaidValues;
  readonly signal: AbortSignal;
}

/** `spec.values` as they would become; undefined when they stay. */
function ownOf({ layers }: OverlaidValues, { decided, input }: Pick<PreviewContext, 'decided' | 'input'>): JsonObject | undefined {
  if (input.values === undefined) return decided.own;
  const own = applyMergePatch(decided.own ?? layers.at(-1)?.values ?? {}, input.values);
  return objectAt({ own }, 'own') as JsonObject;
}

/** With other values in the layer that decisions change, which is the highest. */
function withOwn(values: OverlaidValues, own: JsonObject | undefined): OverlaidValues {
  if (own === undefined) return values;
  return {
    ...values,
    layers: values.layers.map((layer, index) => (index === values.layers.length - 1 ? { ...layer, values: own } : layer)),
  };
}

interface Renderings {
  readonly before: Rendering;
  readonly after: Rendering;
}

/** What the two renderings mean in the cluster. */
interface Looked {
  readonly crds: PreviewedCrds;
  readonly instances: PreviewedInstances;
  readonly checked: CheckedUpgrade;
  readonly permissions: OperatorPermissions;
}

async function look({ ports, actor, input, spec, status, values, signal }: PreviewContext, { before, after }: Renderings): Promise<Looked> {
  const permissions = await operatorPermissions(ports, actor, input);
  const dryRuns = dryRunsOf(ports, actor, permissions);
  const installed = isBroken(after) ? [] : status.crds;
  const [{ forbidden, ...crds }, instances] = await Promise.all([
    previewCrds(ports, actor, {
      dryRuns,
      candidates: after.crds,
      crds: installed,
      safety: spec.upgrade.crdSafety,
      claimant: crdClaimant(input, spec, status),
      signal,
    }),
    instancesOf(ports, actor, input),
  ]);
  const old = isBroken(after) ? EMPTY_RENDERING : before;
  const checked = await checkUpgrade(dryRuns, ports, { spec, before: old, after, secrets: values.secrets, signal, forbidden });
  return { crds: withEnvironments(crds, instances), instances, checked, permissions };
}

/** What does not render has no objects, which must not read as if all were taken away. */
function isBroken({ faults, objects }: Rendering): boolean {
  return faults.length > 0 && objects.length === 0;
}

async function compose(context: PreviewContext, { before, after }: Renderings, looked: Looked): Promise<UpgradePreview> {
  const { crds, instances, checked, permissions } = looked;
  const { ports, operator, spec, status, charts, values, decided } = context;
  const { namespace, name, values: proposedValues } = context.input;
  const rendered = { from: isBroken(after) ? [] : before.objects, to: after.objects };
  const compared = { ...rendered, namespace: spec.targetNamespace, secrets: values.secrets };
  const fields = { ...immutableFields({ ...compared, checked }), missing: checked.missing };
  const valuesPart = { ...changesOf(context), missing: values.missing };
  const [from, to] = [charts.from === undefined ? undefined : previewedChart(charts.from), previewedChart(charts.to)];
  const plainTiming = timingOf({ spec, from, to, offered: charts.offered, approved: approvedBy(operator), now: ports.upgrades.now() });
  const timing = { ...plainTiming, ...(permissions.patch === undefined ? {} : { missing: permissions.patch }) };
  const faults = [...values.faults, ...after.faults, ...checked.blockers];
  const installed = before.faults.length > 0 ? 'Broken' : 'Rendered';
  return {
    namespace,
    name,
    displayName: spec.catalog.displayName ?? name,
    ...(from === undefined ? {} : { from }),
    to,
    availableVersions: charts.offered,
    verdict: checkPreview({ crds, fields, instances, values: valuesPart, faults }),
    warnings: upgradeWarnings({ status, from, to, before: installed, unread: values.missing.length }),
    values: valuesPart,
    decisions: decided.previewed,
    objects: objectChanges(compared),
    crds,
    fields,
    findings: joinFindings([
      checked.findings,
      { unchecked: after.unchecked.map((message) => ({ message, subject: 'Chart', evidence: 'exact' })) },
      { warned: await catalogFindings(context, after) },
    ]),
    remedies: checked.remedies,
    instances,
    conversions: after.conversions,
    timing,
    ...(proposedValues === undefined ? {} : { proposedValues }),
    commands: upgradeCommands({ namespace, name, to, timing, proposedValues, decided: commandParts(context) }, ports.publicUrl),
  };
}

function changesOf({ charts, values, next }: PreviewContext): ReturnType<typeof valueChanges> {
  return valueChanges(charts.from === undefined ? undefined : layered(charts.from, values), layered(charts.to, next));
}

/** What of the catalogue block the kinds do not have after the upgrade; those that the operator registers itself stay as they are. */
async function catalogFindings({ ports, operator }: PreviewContext, after: Rendering): Promise<readonly Finding[]> {
  const names = new Set(after.crds.map(({ metadata }) => metadata.name));
  const live = crdsOfOperator(operator, ports.catalog.customResourceDefinitions()).filter(({ metadata }) => !names.has(metadata.name));
  const faults = await checkCatalogBlock(operator, isBroken(after) ? [] : [...after.crds, ...live]);
  return faults.map(({ field, message }) => {
    return { message: `${field}: ${message}`, subject: 'Validation', evidence: 'exact', field };
  });
}

/** Where a file of the catalogue sets the values, they are decided there. */
function commandParts({ decided: { previewed, shownPatch }, input }: PreviewContext): UpgradeCommandInput['decided'] {
  const { decisions } = input;
  if (shownPatch === undefined || decisions === undefined || previewed.source !== undefined) return undefined;
  const secrets = previewed.rows.flatMap(({ secret, path }) => (secret ? [path] : []));
  return { patch: shownPatch, decisions: Object.fromEntries(Object.entries(decisions).filter(([path]) => !secrets.includes(path))) };
}

/** Whoever may change the Operator may have the controller apply what it says, so they may have it tried. */
function dryRunsOf({ clusters }: PreviewPorts, actor: Actor, { patch: missing }: OperatorPermissions): DryRun {
  return missing === undefined
    ? { cluster: clusters.dryRunAsController(actor), by: 'controller' }
    : { cluster: clusters.dryRunAsActor(actor), by: 'actor' };
}

async function instancesOf(ports: PreviewPorts, actor: Actor, input: PreviewInput): Promise<PreviewedInstances> {
  const { instances, missing, unavailable } = await listOperatorInstances(ports, actor, input);
  return { namespaces: placesOf(instances), total: instances.length, missing, unavailable };
}

/** Which Environment a affected instance is in, for those that the actor sees. */
function withEnvironments(previewed: PreviewedCrds, { namespaces }: PreviewedInstances): PreviewedCrds {
  const environments = new Map(namespaces.map(({ namespace, environment }) => [namespace, environment]));
  const items = previewed.items.map((definition) => {
    const { affected } = definition;
    if (affected === undefined) return definition;
    const instances = affected.instances.map((instance) => {
      const environment = environments.get(instance.namespace);
      return { ...instance, ...(environment === undefined ? {} : { environment }) };
    });
    return { ...definition, affected: { ...affected, instances } };
  });
  return { ...previewed, items };
}

function layered(chart: UpgradeChart, { layers, hidden, secrets }: OverlaidValues): LayeredValues {
  return { layers: [{ origin: 'the chart', values: chart.contents.values }, ...layers], hidden, secrets };
}

function previewedChart({ digest, contents }: UpgradeChart): PreviewedChart {
  const { name, version, appVersion, changelog } = contents.metadata;
  return { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest, ...(changelog === undefined ? {} : { changelog }) };
}

function approvedBy({ metadata }: KubeObject): string {
  return metadata.annotations?.[APPROVED_UPGRADE] ?? '';
}
