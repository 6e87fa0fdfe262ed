import type { MergeRequest } from '../../domain/proposal/proposal.ts';

/** A merge request as somebody wants it. */
export interface WantedMergeRequest {
  readonly branch: string;
  /** The branch that it is to be merged into. */
  readonly base: string;
  readonly title: string;
  readonly description: string;
}

/** Sends a call below the address of the REST API; the answer is its JSON. */
export type ForgeCall = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

/** How one kind of forge speaks. `path` is that of the repository. */
export interface ForgeProtocol {
  /** `Bearer`: it takes the password of a basic login as a token. */
  readonly login: 'AsGiven' | 'Bearer';
  open(call: ForgeCall, path: string, wanted: WantedMergeRequest): Promise<MergeRequest>;
  /** The merge requests in all states that were changed last, at most 50. */
  list(call: ForgeCall, path: string): Promise<readonly MergeRequest[]>;
  /** Whether a commit is in the history of another one. */
  contains(call: ForgeCall, path: string, input: ContainsInput): Promise<boolean>;
}

export interface ContainsInput {
  readonly commit: string;
  readonly within: string;
}
