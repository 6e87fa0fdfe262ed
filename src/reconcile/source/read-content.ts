import { chartSecretInvalid } from '../../domain/chart/chart-access.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceSpec } from '../../domain/source/catalog-source.ts';
import { dependencyProblem } from '../../domain/source/dependencies.ts';
import { parseGitSecret, parseGitVerifySecret } from '../../domain/source/git-access.ts';
import type { GitRequest, GitSource } from '../../domain/source/git-source.ts';
import { findKinds } from '../../domain/source/stock.ts';
import type { SourcePorts } from './ports.ts';
import type { Work } from './report-source.ts';
import type { Content } from './state.ts';

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

/** What the folder or repository holds, unless it is at the revision that is known. */
export async function readFolderOf(
  { ports, source, signal }: Work,
  { folder, git, suspend }: SourceSpec,
  known?: string,
): Promise<Content['folder']> {
  if (folder !== undefined) return await ports.readFolder(folder.path, known === undefined ? {} : { known });
  const isAtRest = suspend || source.metadata.deletionTimestamp !== undefined;
  if (git === undefined || isAtRest) return { kind: 'GitUnavailable', why: 'the source is suspended or being deleted' };
  try {
    const access = await gitAccess(ports, git, signal);
    const checkout = await ports.git.checkout({ source: source.metadata.name, git, ...access }, signal);
    return checkout.revision === known ? { kind: 'Unchanged' } : await ports.readFolder(checkout.folder, { read: checkout });
  } catch (error) {
    if (isAppError(error, 'VerificationFailed')) return { kind: 'VerificationFailed', why: messageOf(error) };
    if (!isAppError(error, 'GitUnavailable', 'EgressDenied', 'ChartSecretInvalid')) throw error;
    return { kind: 'GitUnavailable', why: messageOf(error).replace(/^chart:/, 'git:') };
  }
}

/** The Secrets of a source. They are read anew each time, so that what somebody revoked is not used on. */
async function gitAccess(
  ports: SourcePorts,
  git: GitSource,
  signal: AbortSignal,
): Promise<Pick<GitRequest, 'credentials' | 'verification'>> {
  const existing = async (field: string, name: string): Promise<KubeObject> => {
    const object = await ifFound(ports.cluster.get({ ...SECRET, namespace: OURS.systemNamespace, name }, { signal }));
    if (object !== undefined) return object;
    throw chartSecretInvalid(`Secret "${OURS.systemNamespace}/${name}"`, `it does not exist, and ${field} names it; create it`);
  };
  return {
    ...(git.secretRef === undefined
      ? {}
      : { credentials: parseGitSecret(await existing('spec.git.secretRef', git.secretRef.name), git.url) }),
    ...(git.verify === undefined
      ? {}
      : { verification: parseGitVerifySecret(await existing('spec.git.verify.secretRef', git.verify.secretRef.name)) }),
  };
}

/** All CatalogSources. */
export async function allSources({ ports, signal }: Pick<Work, 'ports' | 'signal'>): Promise<readonly KubeObject[]> {
  return (await ports.cluster.list(CATALOG_SOURCE, { signal })).items;
}
