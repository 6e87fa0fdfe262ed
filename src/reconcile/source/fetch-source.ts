import { type ChartAccess, chartSecretInvalid } from '../../domain/chart/chart-access.ts';
import { parseChartSecret } from '../../domain/chart/chart-secret.ts';
import { parseVerifySecret } from '../../domain/chart/verify-secret.ts';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceSpec } from '../../domain/source/catalog-source.ts';
import { dependencyProblem } from '../../domain/source/dependencies.ts';
import { parseGitSecret, parseGitVerifySecret } from '../../domain/source/git-access.ts';
import type { GitCheckout, GitRequest, GitSource } from '../../domain/source/git-source.ts';
import type { OciSource } from '../../domain/source/oci-source.ts';
import { findKinds } from '../../domain/source/stock.ts';
import type { SourcePorts } from './ports.ts';
import type { Work } from './report-source.ts';
import type { Content } from './state.ts';

/** What reading a source takes; its Secrets are read by `cluster`. */
interface FetchWork {
  readonly ports: Pick<SourcePorts, 'artifacts' | 'git' | 'readFolder'> & { readonly cluster: Pick<SourcePorts['cluster'], 'get'> };
  readonly source: KubeObject;
  readonly signal: AbortSignal;
}

/** What the folder, repository or artifact holds, unless it is at the revision that is known. */
export async function readFolderOf(work: FetchWork, spec: SourceSpec, known?: string): Promise<Content['folder']> {
  const { ports, source } = work;
  const { folder, oci, kustomize, suspend } = spec;
  const rendered = kustomize === undefined ? {} : { kustomize: kustomize.path };
  if (folder !== undefined) return await ports.readFolder(folder.path, { ...rendered, ...(known === undefined ? {} : { known }) });
  const unreadable = oci === undefined ? 'GitUnavailable' : 'ArtifactUnavailable';
  const isAtRest = suspend || source.metadata.deletionTimestamp !== undefined;
  if (isAtRest) return { kind: unreadable, why: 'the source is suspended or being deleted' };
  try {
    const checkout = await checkoutOf(work, spec);
    return checkout.revision === known ? { kind: 'Unchanged' } : await ports.readFolder(checkout.folder, { ...rendered, read: checkout });
  } catch (error) {
    if (isAppError(error, 'VerificationFailed')) return { kind: 'VerificationFailed', why: messageOf(error) };
    if (!isAppError(error, 'GitUnavailable', 'ArtifactUnavailable', 'EgressDenied', 'ChartSecretInvalid')) throw error;
    return { kind: unreadable, why: messageOf(error).replace(/^chart:/, oci === undefined ? 'git:' : 'artifact:') };
  }
}

async function checkoutOf(work: FetchWork, { git, oci }: SourceSpec): Promise<GitCheckout> {
  const { ports, signal } = work;
  const source = work.source.metadata.name;
  if (oci !== undefined) return await ports.artifacts.checkout({ source, oci, ...(await ociAccess(work, oci)) }, signal);
  if (git !== undefined) return await ports.git.checkout({ source, git, ...(await gitAccess(work, git)) }, signal);
  throw new Error('the api-server lets no source without folder, git and oci be');
}

/** The Secrets of a source. They are read anew each time, so that what somebody revoked is not used on. */
async function gitAccess(
  work: FetchWork,
  { url, secretRef, verify }: GitSource,
): Promise<Pick<GitRequest, 'credentials' | 'verification'>> {
  return {
    ...(secretRef === undefined ? {} : { credentials: parseGitSecret(await secretOf(work, 'spec.git.secretRef', secretRef.name), url) }),
    ...(verify === undefined
      ? {}
      : { verification: parseGitVerifySecret(await secretOf(work, 'spec.git.verify.secretRef', verify.secretRef.name)) }),
  };
}

async function ociAccess(work: FetchWork, { url, secretRef, verify }: OciSource): Promise<ChartAccess> {
  return {
    ...(secretRef === undefined ? {} : { credentials: parseChartSecret(await secretOf(work, 'spec.oci.secretRef', secretRef.name), url) }),
    ...(verify === undefined
      ? {}
      : { verification: parseVerifySecret(await secretOf(work, 'spec.oci.verify.secretRef', verify.secretRef.name), verify.provider) }),
  };
}

async function secretOf({ ports, signal }: FetchWork, field: string, name: string): Promise<KubeObject> {
  const object = await ifFound(ports.cluster.get({ ...SECRET, namespace: OURS.systemNamespace, name }, { signal }));
  if (object !== undefined) return object;
  throw chartSecretInvalid(`Secret "${OURS.systemNamespace}/${name}"`, `it does not exist, and ${field} names it; create it`);
}

/** What the folder holds, or the repository, and the kinds in it. */
export async function readContent(work: Work, spec: SourceSpec): Promise<Content> {
  const { ports, source, signal } = work;
  const kindOf = (): undefined => undefined;
  const problem = spec.dependsOn.length === 0 ? undefined : dependencyProblem(source, await allSources(work));
  if (problem !== undefined) return { folder: { kind: 'Blocked', problem }, kindOf };
  const folder = await readFolderOf(work, spec);
  if (folder.kind !== 'Read') return { folder, kindOf };
  const find = (apiVersion: string, kind: string) => ports.discovery.find(apiVersion, kind, signal);
  return { folder, kindOf: await findKinds(folder.files, find) };
}

/** All CatalogSources. */
export async function allSources({ ports, signal }: Pick<Work, 'ports' | 'signal'>): Promise<readonly KubeObject[]> {
  return (await ports.cluster.list(CATALOG_SOURCE, { signal })).items;
}
