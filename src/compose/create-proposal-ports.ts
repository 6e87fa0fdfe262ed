import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { type GitCredentials, parseGitSecret } from '../domain/source/git-access.ts';
import { AppError, isAppError, messageOf } from '../domain/core/errors.ts';
import { FairQueue } from '../domain/core/fair-queue.ts';
import type { Clusters } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { SECRET } from '../domain/kubernetes/resource-types.ts';
import { editRepository } from '../domain/proposal/edit-repository.ts';
import type { MergeRequest } from '../domain/proposal/proposal.ts';
import type { ProposalTarget } from '../domain/proposal/proposal-target.ts';
import type { Config } from '../config.ts';
import { createForges, type Forge, type ForgeCredentials } from '../git/forge/forge.ts';
import { createGitPush, type WantedBranch } from '../git/push.ts';
import { readAuthorities } from './create-charts.ts';
import type { ProposalPorts, WantedProposal } from '../operation/ports.ts';

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
      const signal = AbortSignal.timeout(PUSH_MS);
      const { branch, title, description } = wanted;
      const { base } = await queue.run(wanted.user, signal, async () => {
        const request = { source: target.name, git: target.git, ...(await gitCredentials(clusters, target)) };
        return await git.push(request, branchOf(wanted, publicUrl), signal).catch(rejectPush);
      });
      const opened = await (await forgeOf(target)).open({ branch, base, title, description });
      lists.delete(keyOf(target));
      return opened;
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
      const key = JSON.stringify([target.repository, input.commit, input.within]);
      if (contained.has(key)) return true;
      const isContained = await (await forgeOf(target)).contains(input);
      if (isContained) contained.set(key, true);
      return isContained;
    },
    randomId: () => randomBytes(4).toString('hex'),
  };
}

/** The commit is the person's; Chandlery committed it. */
function branchOf({ branch, title, description, author, edit }: WantedProposal, { hostname }: URL): WantedBranch {
  const noReply = `noreply@${hostname}`;
  return {
    branch,
    message: `${title}\n\n${description}\n`,
    author: { name: author.name, email: author.email === '' ? noReply : author.email },
    committer: { name: 'Chandlery', email: noReply },
    edit: async (files) => await editRepository(files, edit),
  };
}

async function gitCredentials(
  clusters: ProposalsInput['clusters'],
  { git: { secretRef, url } }: ProposalTarget,
): ReturnType<typeof credentialsOf> {
  return await credentialsOf(clusters, { secretRef, url });
}

function keyOf({ repository, source: { metadata } }: ProposalTarget): string {
  return JSON.stringify([metadata.uid, metadata.generation, repository]);
}

/** Those of the forge itself, else those of the repository. */
async function forgeCredentials(clusters: ProposalsInput['clusters'], { git, repository }: ProposalTarget): Promise<ForgeCredentials> {
  const secretRef = git.forge?.secretRef ?? git.secretRef;
  const { credentials } = await credentialsOf(clusters, { secretRef, url: repository.apiURL });
  return credentials ?? { authorities: [] };
}

interface SecretInput {
  readonly secretRef: { readonly name: string } | undefined;
  readonly url: string;
}

async function credentialsOf(
  clusters: ProposalsInput['clusters'],
  { secretRef, url }: SecretInput,
): Promise<{ readonly credentials?: GitCredentials }> {
  if (secretRef === undefined) return {};
  try {
    const object = await clusters.asController().get({ ...SECRET, namespace: OURS.systemNamespace, name: secretRef.name });
    return { credentials: parseGitSecret(object, url) };
  } catch (error) {
    const place = `Secret "${OURS.systemNamespace}/${secretRef.name}"`;
    if (isAppError(error, 'NotFound')) throw new AppError('ForgeUnavailable', `forge: ${place}: it does not exist; create it`);
    if (isAppError(error, 'ChartSecretInvalid')) throw new AppError('ForgeUnavailable', messageOf(error).replace(/^chart:/, 'forge:'));
    throw error;
  }
}

function rejectPush(error: unknown): never {
  if (!isAppError(error, 'GitUnavailable')) throw error;
  throw new AppError('ForgeUnavailable', `${error.message}; its credentials need to push branches`);
}
