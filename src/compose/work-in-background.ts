import { join } from 'node:path';
import type { ChartLibrary } from '../chart/chart-library.ts';
import { type ArtifactOptions, createArtifacts } from '../chart/oci/artifact.ts';
import type { Config } from '../config.ts';
import { legacyStatusOf } from '../domain/catalog/operator-view.ts';
import { statusOf } from '../domain/kind/kind.ts';
import type { CatalogCache } from '../domain/kubernetes/cluster.ts';
import type { ControllerStatus } from '../domain/kubernetes/controller-status.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { LEGACY_STATUSES } from '../domain/operator/kind/status-fields.ts';
import { CATALOG_SOURCE_KIND } from '../domain/source/catalog-source.ts';
import type { ToolPaths } from '../embedded/cluster/tools.ts';
import { DEMO_PEOPLE } from '../embedded/issuer/demo-people.ts';
import { createGit } from '../git/git.ts';
import { applyManifests } from '../kube/bootstrap.ts';
import type { LiveCatalog } from '../kube/watch/catalog-cache.ts';
import type { Log } from '../observe/log.ts';
import type { Measured, Metrics } from '../observe/metrics.ts';
import type { Ports } from '../operation/ports.ts';
import { readAuthorities } from './create-charts.ts';
import { installCrdsAndRoles, restoreOwnCrds } from './install-crds-and-roles.ts';
import { installationOf } from './leader/installation.ts';
import { leadControllers } from './leader/lead-controllers.ts';
import { moveEarlierResources } from './move-earlier-resources.ts';
import type { OpenStore } from './open-store.ts';
import type { OpenCluster } from './open-cluster.ts';
import { runControllers } from './run-controllers.ts';
import { namePrefixes, type TrustedIssuers } from './identity/trusted-issuers.ts';

export interface Background {
  readonly opened: OpenCluster;
  readonly config: Config;
  readonly issuers: TrustedIssuers;
  readonly repoRoot: string;
  readonly stateDir: string;
  readonly tools: ToolPaths;
  readonly charts: ChartLibrary;
  readonly catalog: LiveCatalog;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly readiness: { installed(): void; controller(status: ControllerStatus): void };
  readonly ports: Ports;
  readonly kept: OpenStore;
  /** Resolves when something may be written to the cluster. */
  readonly confirmed: (signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Runs the controllers whenever this process is the leader. Rejects only with what nobody expected. */
export async function workInBackground(input: Background): Promise<void> {
  const { opened, log, metrics, readiness, signal } = input;
  metrics.measure(() => measuresOf(input.catalog));
  if (input.config.role === 'web') {
    readiness.installed();
    await moveEarlierResources({ kube: opened.kube, ...input.kept, earlierRequests: undefined, log }, signal);
    return;
  }
  try {
    await input.confirmed(signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  const onStatus = (status: ControllerStatus): void => {
    readiness.controller(status);
    // Whoever leads has installed them, or does so now; what is missing is seen by who reads it.
    if (status.kind === 'Standby') readiness.installed();
  };
  const { kube, stateId } = opened;
  const prepare = async (): Promise<void> => await ensureNamespace(input);
  const installation = await installationOf({ ...input, stateId, catalogDir: catalogDirOf(input) });
  const takeOver = input.config.takeOver ? 'Once' : 'Never';
  const lead = { cluster: kube.asController(), installation, takeOver, stateId, prepare, onStatus, log, metrics } as const;
  await leadControllers(lead, async (until) => await work({ ...input, signal: until }), signal);
}

/** The lease has to be somewhere before anybody leads. */
async function ensureNamespace({ opened, signal }: Background): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OURS.systemNamespace } };
  await applyManifests(opened.kube, [namespace], signal);
}

/** Brings our kinds and roles to the cluster, however long it is away, and then runs the controllers, until the signal aborts. */
async function work({ opened, config, issuers, kept, repoRoot, stateDir, tools, readiness, signal, ...rest }: Background): Promise<void> {
  const { kube, embedded } = opened;
  const { log } = rest;
  const catalogDir = catalogDirOf({ config, repoRoot });
  const adminGroups = adminGroupsOf({ config, issuers });
  try {
    const ours = { kube, repoRoot, catalogDir, adminGroups, log };
    const installed = await installCrdsAndRoles(ours, signal);
    readiness.installed();
    await moveEarlierResources({ kube, ...kept, log }, signal);
    const fetching = await fetchSettings(config);
    const git = createGit({ ...fetching, homeDir: join(stateDir, 'git') });
    const artifacts = createArtifacts({ ...fetching, homeDir: join(stateDir, 'artifacts') });
    const local = embedded === undefined ? {} : { embedded };
    await Promise.all([
      restoreOwnCrds({ ...ours, installed, definitions: rest.catalog.reflectors.customResourceDefinitions }, signal),
      runControllers({
        kube,
        ...rest,
        git,
        artifacts,
        helm: tools.helm,
        kubectl: tools.kubectl ?? 'kubectl',
        stateDir,
        imageRewrites: config.imageRewrites,
        repoRoot,
        prefixes: namePrefixes(issuers),
        signal,
        ...local,
      }),
    ]);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The example catalogue is for the embedded cluster; other clusters get the folder that is named, if any. */
export function catalogDirOf({ config, repoRoot }: Pick<Background, 'config' | 'repoRoot'>): string | undefined {
  return config.catalogDir ?? (config.cluster.kind === 'embedded' ? join(repoRoot, 'catalog') : undefined);
}

/** The groups that are admins without further ado: those of the demo, where nobody else signs in. */
export function adminGroupsOf({ config, issuers }: Pick<Background, 'config' | 'issuers'>): readonly string[] {
  return config.role === 'all' && issuers.signIn === undefined ? demoAdmins(issuers) : [];
}

/** For the content of sources: where connections may lead, and whom they trust. */
export async function fetchSettings({ allowEgress, mirrors, chartCaFiles }: Config): Promise<Omit<ArtifactOptions, 'homeDir'>> {
  return { allowEgress, mirrors, certificateAuthorities: await readAuthorities(chartCaFiles) };
}

function demoAdmins({ demoClaims }: TrustedIssuers): string[] {
  const [admin] = DEMO_PEOPLE;
  return (admin?.groups ?? []).map((group) => `${demoClaims.groupsPrefix}${group}`);
}

/** How many Operators have each status, and how many faults and pending removals each CatalogSource has, as far as we know the cluster. */
function measuresOf(catalog: Pick<CatalogCache, 'operators' | 'catalogSources'>): readonly Measured[] {
  const statuses = catalog.operators().map((operator) => legacyStatusOf(operator));
  return [
    ...LEGACY_STATUSES.map((status): Measured => {
      const value = statuses.filter((one) => one === status).length;
      return { gauge: 'chandlery_operators', labels: { status }, value };
    }),
    ...catalog.catalogSources().flatMap((source): readonly Measured[] => {
      const { faults, removals = 0 } = statusOf(CATALOG_SOURCE_KIND, source);
      const labels = { source: source.metadata.name };
      return [
        { gauge: 'chandlery_catalog_faults', labels, value: faults.length },
        { gauge: 'chandlery_catalog_pending_removals', labels, value: removals },
      ];
    }),
  ];
}
