import { manyLines, oneLine } from '../core/plain-text.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** Branches of ours, on every forge. */
export const BRANCH_PREFIX = 'chandlery/';
export const PROPOSAL_STATUSES = ['Open', 'Merged', 'Synced', 'Healthy', 'Closed'] as const;
/**
 * `Merged`: the source has not applied the merge yet. `Synced`: it has, and the resource is not healthy yet. `Closed`: without a merge.
 */
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/** A merge request (pull request) as its forge describes it: foreign texts. Times are ISO 8601. */
export interface MergeRequest {
  /** What the forge counts it by. */
  readonly number: number;
  /** The address of its page. */
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly branch: string;
  readonly created: string;
  readonly state: 'Open' | 'Merged' | 'Closed';
  /** The commit that it became, once it is merged. */
  readonly mergeCommit?: string;
}

/** The resource that a proposal is about. */
export interface ProposedResource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** A merge request that Chandlery opened. */
export interface Proposal extends Omit<MergeRequest, 'description' | 'state' | 'mergeCommit'> {
  /** The CatalogSource whose repository it changes. */
  readonly source: string;
  readonly resource: ProposedResource;
  /** The user name of who proposed it. */
  readonly proposedBy: string;
  readonly status: ProposalStatus;
}

const RESOURCE_LINE = 'Chandlery-Resource';
const PERSON_LINE = 'Chandlery-Proposed-By';
const LONGEST_LINE = 600;

/** What a proposal says of itself. */
export interface ProposalText {
  readonly resource: ProposedResource;
  /** The user name of who proposes it. */
  readonly user: string;
  /** To its reviewers; possibly empty. */
  readonly message: string;
}

/**
 * The description of a merge request. Its last lines are read again by `readDescription`, as git reads the trailers of a commit. The message before them is code to
 * Markdown: no line of it begins with a command, such as `/approve`, which forges and bots carry out with the permissions of the token that opens the request, and nothing in it is a
 * link, a picture or a mention.
 */
export function describeProposal(text: ProposalText): string {
  const message = manyLines(text.message.replaceAll(/\r\n?/g, '\n')).trim();
  const quoted = message.replaceAll(/^/gm, '    ');
  return [...(message === '' ? [] : [quoted]), trailersOf(text)].join('\n\n');
}

/** The message of the commit. That of the person is not in it: a forge acts on texts such as `[skip ci]` in a commit. */
export function commitMessage(title: string, text: Omit<ProposalText, 'message'>): string {
  return `${title}\n\n${trailersOf(text)}\n`;
}

function trailersOf({ resource, user }: Omit<ProposalText, 'message'>): string {
  const { apiVersion, kind, namespace, name } = resource;
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return [`${RESOURCE_LINE}: ${apiVersion} ${kind} ${place}`, `${PERSON_LINE}: ${oneLine(user)}`].join('\n');
}

/** Whoever may write to the repository can change a description: it says what to look for, and gives nobody a permission. */
export function readDescription(description: string): { readonly resource: ProposedResource; readonly proposedBy: string } | undefined {
  const lines = description.replaceAll('\r', '').split('\n');
  const valueOf = (key: string): string | undefined =>
    lines.findLast((line) => line.startsWith(`${key}: `) && line.length <= LONGEST_LINE)?.slice(key.length + 2);
  const [, apiVersion = '', kind = '', place = ''] = /^(\S+) (\S+) (\S+)$/.exec(valueOf(RESOURCE_LINE) ?? '') ?? [];
  const [first = '', second] = place.split('/');
  if (first === '' || second === '') return undefined;
  const named = second === undefined ? { name: first } : { namespace: first, name: second };
  return { resource: { apiVersion, kind, ...named }, proposedBy: valueOf(PERSON_LINE) ?? '' };
}

/** `chandlery/change-orders-1f2e3d4c`, from the title and some random hexadecimal digits. */
export function branchFor(title: string, id: string): string {
  const words = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '');
  return `${BRANCH_PREFIX}${words}-${id}`;
}

export function resourceOf({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): ProposedResource {
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}
