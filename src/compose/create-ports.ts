import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { readArchive } from '../chart/archive/archive.ts';
import type { ChartLibrary } from '../chart/chart-library.ts';
import { CHART_LIMITS } from '../chart/limits.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import type { CliClient } from '../domain/kubectl/cli-client.ts';
import type { ClusterAddress, ExpectedClaim } from '../domain/kubectl/kubeconfig.ts';
import { CLI_CLIENT_ID } from '../embedded/issuer/cli-client.ts';
import type { JwtAuthenticator } from '../identity/claims/authentication-configuration.ts';
import { authenticatorOf } from '../identity/identity-settings.ts';
import type { KubectlPorts } from '../operation/kubectl/kubectl-ports.ts';
import { readAuthorities } from './create-charts.ts';
import type { Config } from '../config.ts';
import { revisionVersion } from '../domain/app-definition/channel.ts';
import { APP_REVISION_KIND } from '../domain/app-definition/app-revision-kind.ts';
import { parseChartSecret } from '../domain/chart/chart-secret.ts';
import { AppError, isAppError, messageOf } from '../domain/core/errors.ts';
import { FairQueue } from '../domain/core/fair-queue.ts';
import type { Cluster, Clusters } from '../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { APP_REVISION, NODE, SECRET } from '../domain/kubernetes/resource-types.ts';
import { specOf } from '../domain/kind/kind.ts';
import { type NodeFacts, nodeFacts } from '../domain/preflight/node-capacity.ts';
import type { MetricSource } from '../domain/monitoring/metrics.ts';
import { editRepository } from '../domain/proposal/edit-repository.ts';
import type { ImageRewrite } from '../domain/workload/image-rewrite.ts';
import type { ProposalTarget } from '../domain/proposal/proposal-target.ts';
import { commitMessage, describeProposal, type MergeRequest } from '../domain/proposal/proposal.ts';
import { type GitCredentials, parseGitSecret } from '../domain/source/git-access.ts';
import type { GitRequest } from '../domain/source/git-source.ts';
import { createForges, type Forge, type ForgeCredentials } from '../git/forge/forge.ts';
import { createGitPush, type GitPush, type WantedBranch } from '../git/push.ts';
import { childrenWithin } from '../helm/bounds.ts';
import { createHelm } from '../helm/helm.ts';
import { releaseRecordBytes } from '../helm/release-record.ts';
import { createChartRenderer } from '../helm/render-chart.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { MetricPorts, Ports, ProposalPorts, WantedProposal } from '../operation/ports.ts';
import type { UpgradePorts } from '../operation/upgrade/upgrade-ports.ts';
import { createPrometheus, type PrometheusAddress } from '../prometheus/prometheus.ts';
import { type AuditPortInput, createAuditPort } from './create-audit-port.ts';
import type { TrustedIssuers } from './identity/trusted-issuers.ts';
import type { OpenStore } from './open-store.ts';

type Kept = 'accessTokens' | 'auditLog' | 'deployments';

/** What operations need of the store, and of the clock for what the cluster keeps. */
export function storePorts(
  { store }: Pick<OpenStore, 'store'>,
  { tokenLifetime, tokenAbsence, userIdentity }: Pick<Config, 'tokenLifetime' | 'tokenAbsence' | 'userIdentity'>,
  output: Pick<AuditPortInput, 'log' | 'print'>,
): Pick<Ports, Kept | 'changeRequests'> {
  return {
    accessTokens: {
      table: store.accessTokens,
      now: Date.now,
      maxLifetime: tokenLifetime,
      absence: tokenAbsence,
      usable: userIdentity === 'Impersonate' ? 'Yes' : 'TokensPassThrough',
    },
    changeRequests: { now: Date.now, appliedBy: userIdentity === 'Impersonate' ? 'Impersonation' : 'TokenOfApprover' },
    deployments: store.deployments,
    auditLog: createAuditPort({ auditLog: store.auditLog, ...output }),
  };
}

export interface PreviewUpgradesInput {
  readonly kube: Pick<Kube, 'kubernetesVersion' | 'kinds' | 'asController'>;
  readonly charts: ChartLibrary;
  /** The helm program. */
  readonly helm: string;
  readonly stateDir: string;
  readonly imageRewrites?: readonly ImageRewrite[];
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'helmRan'>;
}

/** Previews render beside the controllers, but never more than two at once. */
const MAX_RENDERS = 2;
/** Upgrade previews and preflights of Operators for people. */
const CHECKS = { what: 'check', all: 4, perPerson: 2, waiting: 6 };

/** What planning upgrades takes: a helm without a cluster, and the charts. */
export async function createUpgradePreviews(input: PreviewUpgradesInput): Promise<UpgradePorts> {
  const { kube, charts, helm, stateDir, imageRewrites = [], log, metrics } = input;
  const renderer = await createHelm({
    program: helm,
    homeDir: join(stateDir, 'helm-changeRequests'),
    maxChildren: helmChildren(MAX_RENDERS, 1 / 2),
    log: { debug: (keys: object, message: string) => log.debug(message, { ...keys }) },
    observe: metrics.helmRan,
  });
  return {
    charts,
    renderChart: createChartRenderer({
      render: (request, signal) => charts.using(request.chartPath, () => renderer.render(request, signal)),
      discovery: kube,
      kubernetesVersion: kube.kubernetesVersion,
      imageRewrites,
    }),
    recordBytes: async ({ chart: { path, contents }, values: config, objects }, signal) =>
      await charts.using(path, async () => {
        const { contents: files } = await readArchive(path, { limits: CHART_LIMITS, wants: () => true, signal });
        return await releaseRecordBytes({ metadata: contents.metadata, values: contents.values, config, files, objects });
      }),
    now: () => new Date(),
    known: clusterFacts(kube.asController()),
    queue: new FairQueue(CHECKS),
  };
}

const MAX_NODES = 2_000;

function clusterFacts(cluster: Pick<Cluster, 'list' | 'pages'>): UpgradePorts['known'] {
  const revisions = async (definition: string, signal: AbortSignal): Promise<readonly KubeObject[]> =>
    (await cluster.list(APP_REVISION, { labelSelector: `${OURS.appDefinitionLabel}=${definition}`, signal })).items;
  return {
    nodes: async (signal) => {
      const nodes: NodeFacts[] = [];
      try {
        for await (const { items } of cluster.pages(NODE, { content: 'whole', size: 200, signal })) {
          nodes.push(...items.map(nodeFacts));
          if (nodes.length > MAX_NODES) return undefined;
        }
        return nodes;
      } catch (error) {
        if (isAppError(error, 'Forbidden')) return undefined;
        throw error;
      }
    },
    chartVersions: async ({ definition }, signal) => [...new Set((await revisions(definition, signal)).map(revisionVersion))],
    chartDigest: async ({ definition, version }, signal) => {
      const items = await revisions(definition, signal);
      const created = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
      const newestFirst = items.toSorted((a, b) => created(b).localeCompare(created(a)));
      const specs = newestFirst.map((revision) => specOf(APP_REVISION_KIND, revision));
      return specs.find(({ chart }) => chart.version === version)?.digest;
    },
  };
}

/**
 * How many helm programs one of our uses of Helm may run at once.
 *
 * @param share of the memory of the machine, or of the container where that has a limit.
 */
export function helmChildren(wished: number, share: number): number {
  const limit = process.constrainedMemory();
  return childrenWithin(wished, share * Math.min(totalmem(), limit > 0 ? limit : Infinity));
}

/** What showing metrics takes. The Secret of a Prometheus is read as the controller: an admin named it, and nothing of it is ever shown. */
export async function createMetricPorts(
  clusters: Pick<Clusters, 'asController'>,
  config: Pick<Config, 'allowEgress' | 'chartCaFiles'>,
): Promise<MetricPorts> {
  const prometheusAt = createPrometheus({
    allowEgress: config.allowEgress,
    certificateAuthorities: await readAuthorities(config.chartCaFiles),
  });
  return {
    connect: async (source) => prometheusAt({ prometheus: source.prometheus, ...(await prometheusCredentials(clusters, source)) }),
    now: Date.now,
  };
}

async function prometheusCredentials(
  clusters: Pick<Clusters, 'asController'>,
  { prometheus: { secretRef, url = '' }, secretNamespace: namespace }: MetricSource,
): Promise<Pick<PrometheusAddress, 'credentials'>> {
  const host = { subject: 'prometheus', unavailable: 'MonitoringUnavailable' } as const;
  return await hostCredentials(clusters, { host, secretRef, namespace, parse: (object) => parseChartSecret(object, url) });
}

interface HostSecret<T> {
  /** What messages begin with, and the code of the error. */
  readonly host: { readonly subject: string; readonly unavailable: 'MonitoringUnavailable' | 'ForgeUnavailable' };
  readonly secretRef: { readonly name: string } | undefined;
  readonly namespace: string;
  readonly parse: (object: KubeObject) => T;
}

/** What the Secret of a host says; a Secret that is missing or wrong is the host's fault. */
async function hostCredentials<T>(
  clusters: Pick<Clusters, 'asController'>,
  { host: { subject, unavailable }, secretRef, namespace, parse }: HostSecret<T>,
): Promise<{ readonly credentials?: T }> {
  if (secretRef === undefined) return {};
  try {
    return { credentials: parse(await clusters.asController().get({ ...SECRET, namespace, name: secretRef.name })) };
  } catch (error) {
    const place = `Secret "${namespace}/${secretRef.name}"`;
    if (isAppError(error, 'NotFound')) throw new AppError(unavailable, `${subject}: ${place}: it does not exist; create it`);
    if (isAppError(error, 'ChartSecretInvalid')) throw new AppError(unavailable, messageOf(error).replace(/^chart:/, `${subject}:`));
    throw error;
  }
}

interface ProposalsInput {
  readonly clusters: Pick<Clusters, 'asController'>;
  readonly config: Pick<Config, 'allowEgress' | 'chartCaFiles'>;
  readonly stateDir: string;
  readonly publicUrl: URL;
}

/** Branches that are pushed at a time, and for how long. */
const PUSHES = { what: 'proposal', all: 2, perPerson: 1, waiting: 4 };
const PUSH_MS = 60_000;
/** Many who look at one page ask the forge once. */
const REMEMBERED = { max: 200, ttl: 5_000 };

/**
 * What proposing changes takes. The Secrets of a source are read as the controller: an admin named them, nothing of them is ever shown, and the branch holds nothing but
 * what the person proposed.
 */
export async function createProposalPorts({ clusters, config, stateDir, publicUrl }: ProposalsInput): Promise<ProposalPorts> {
  const outgoing = { allowEgress: config.allowEgress, certificateAuthorities: await readAuthorities(config.chartCaFiles) };
  const git = createGitPush({ homeDir: join(stateDir, 'git'), ...outgoing });
  const forges = createForges(outgoing);
  const queue = new FairQueue(PUSHES);
  const lists = new LRUCache<string, Promise<readonly MergeRequest[]>>(REMEMBERED);
  // A commit never leaves the history of another one.
  const contained = new LRUCache<string, true>({ max: 5_000 });
  const forgeOf = async (target: ProposalTarget): Promise<Forge> => forges(target.repository, await forgeCredentials(clusters, target));
  return {
    open: async (target, wanted) => {
      const gitRequest = { source: target.name, git: target.git, ...(await gitCredentials(clusters, target)) };
      try {
        return await openPushed({ git, queue, forge: await forgeOf(target), gitRequest, publicUrl }, wanted);
      } finally {
        lists.delete(keyOf(target));
      }
    },
    list: async (target) => {
      const key = keyOf(target);
      const known = lists.get(key);
      if (known !== undefined) return await known;
      const answer = forgeOf(target).then(async (forge) => await forge.list());
      lists.set(key, answer);
      answer.catch(() => lists.delete(key));
      return await answer;
    },
    contains: async (target, input) => {
      const key = stringifyJson([target.repository, input.commit, input.within]);
      if (contained.has(key)) return true;
      const isContained = await (await forgeOf(target)).contains(input);
      if (isContained) contained.set(key, true);
      return isContained;
    },
    randomId: () => randomBytes(4).toString('hex'),
  };
}

interface OpenPushed extends Pick<ProposalsInput, 'publicUrl'> {
  readonly git: GitPush;
  readonly queue: FairQueue;
  readonly forge: Forge;
  readonly gitRequest: GitRequest;
}

async function openPushed({ git, queue, forge, gitRequest, publicUrl }: OpenPushed, wanted: WantedProposal): Promise<MergeRequest> {
  const { branch, title, user } = wanted;
  const signal = AbortSignal.timeout(PUSH_MS);
  const push = async () => await git.push(gitRequest, branchOf(wanted, publicUrl), signal).catch(rejectPush);
  const { base, commit } = await queue.run(user, signal, push);
  try {
    return await forge.open({ branch, base, title, description: describeProposal(wanted) });
  } catch (error) {
    // A branch that nobody asked to merge would stay for ever. That it cannot be deleted either is not what the person has to know.
    await git.remove(gitRequest, { branch, commit }, AbortSignal.timeout(PUSH_MS)).catch(() => undefined);
    throw error;
  }
}

/** The commit is the person's; Chandlery committed it. */
function branchOf(wanted: WantedProposal, { hostname }: URL): WantedBranch {
  const { branch, title, author, edit } = wanted;
  const noReply = `noreply@${hostname}`;
  return {
    branch,
    message: commitMessage(title, wanted),
    author: { name: author.name, email: author.email === '' ? noReply : author.email },
    committer: { name: 'Chandlery', email: noReply },
    edit: edit.kind === 'Restore' ? { restore: edit.commit } : async (files) => await editRepository(files, edit),
  };
}

async function gitCredentials(
  clusters: ProposalsInput['clusters'],
  { git: { secretRef, url } }: ProposalTarget,
): ReturnType<typeof hostCredentialsOf> {
  return await hostCredentialsOf(clusters, { secretRef, url });
}

function keyOf({ repository, source: { metadata } }: ProposalTarget): string {
  return stringifyJson([metadata.uid, metadata.generation, repository]);
}

/** Those of the forge itself, else those of the repository. */
async function forgeCredentials(clusters: ProposalsInput['clusters'], { git, repository }: ProposalTarget): Promise<ForgeCredentials> {
  const secretRef = git.forge?.secretRef ?? git.secretRef;
  const { credentials } = await hostCredentialsOf(clusters, { secretRef, url: repository.apiURL });
  return credentials ?? { authorities: [] };
}

async function hostCredentialsOf(
  clusters: ProposalsInput['clusters'],
  { secretRef, url }: { readonly secretRef: HostSecret<unknown>['secretRef']; readonly url: string },
): Promise<{ readonly credentials?: GitCredentials }> {
  const host = { subject: 'forge', unavailable: 'ForgeUnavailable' } as const;
  return await hostCredentials(clusters, {
    host,
    secretRef,
    namespace: OURS.systemNamespace,
    parse: (object) => parseGitSecret(object, url),
  });
}

function rejectPush(error: unknown): never {
  if (!isAppError(error, 'GitUnavailable')) throw error;
  throw new AppError('ForgeUnavailable', `${error.message}; its credentials need to push branches`);
}

export interface KubectlInput {
  readonly config: Config;
  readonly issuers: TrustedIssuers;
  readonly publicUrl: URL;
  readonly repoRoot: string;
  readonly kube: Pick<Kube, 'address'>;
}

/** What kubectl and the command line of people need, by the settings. */
export async function createKubectlPort(input: KubectlInput): Promise<KubectlPorts> {
  const { config, issuers, publicUrl, repoRoot } = input;
  const isEmbedded = config.issuer.kind === 'embedded';
  // The demo people sit at this machine, whatever their PATH.
  const program = isEmbedded ? [process.execPath, join(repoRoot, 'bin', 'chandlery.mjs')] : ['chandlery'];
  const signIn = issuers.signIn ?? authenticatorOf({ url: '', audiences: [] }, issuers.demoClaims);
  return {
    cluster: await clusterOf(input),
    client: cliClient(config, issuers, publicUrl) ?? {
      unavailable: 'people cannot sign in by the command line here: an admin sets --cli-client-id',
    },
    program,
    host: publicUrl.host,
    expectedClaim: (user) => expectedClaim(signIn, user),
  };
}

/** The public client of the command line; undefined where none is configured. */
export function cliClient({ issuer }: Pick<Config, 'issuer'>, { signIn }: TrustedIssuers, publicUrl: URL): CliClient | undefined {
  if (issuer.kind === 'embedded')
    return { issuer: new URL('/issuer', publicUrl).href, clientId: CLI_CLIENT_ID, token: 'access', scopes: ['groups'] };
  const { address, cliClientId: clientId, cliToken: token, scopes } = issuer;
  if (clientId === undefined) return undefined;
  const authority = signIn?.issuer.certificateAuthority;
  return { issuer: address, clientId, token, scopes, ...(authority === undefined ? {} : { certificateAuthority: authority }) };
}

async function clusterOf({ config, kube }: KubectlInput): Promise<KubectlPorts['cluster']> {
  const { cluster, clusterUrl, clusterCaFile, issuer } = config;
  if (issuer.kind === 'embedded' && cluster.kind !== 'embedded')
    return { unavailable: 'no cluster but the embedded one trusts the embedded issuer: an admin sets --issuer' };
  const authority: Pick<ClusterAddress, 'certificateAuthority'> =
    clusterCaFile === undefined ? {} : { certificateAuthority: await readFile(clusterCaFile, 'utf8') };
  if (clusterUrl !== undefined) return { server: clusterUrl.href.replace(/\/$/, ''), ...authority };
  if (cluster.kind === 'in-cluster')
    return { unavailable: 'the address of the api-server for people is not known: an admin sets --cluster-url' };
  return { ...kube.address(), ...authority };
}

function expectedClaim({ claimMappings: { username } }: JwtAuthenticator, user: string): ExpectedClaim | undefined {
  if (!('claim' in username) || !user.startsWith(username.prefix)) return undefined;
  return { claim: username.claim, value: user.slice(username.prefix.length) };
}
