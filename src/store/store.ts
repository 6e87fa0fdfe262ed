import type { AccessTokenTable } from '../domain/access-token/access-token.ts';
import type { AuditLog } from '../domain/audit/audit-log.ts';
import type { SessionRecord } from '../domain/core/session.ts';
import type { JobDeploymentTable } from '../domain/environment/job-deployment.ts';

/** Who renews the tokens of a session, and until when nobody else does. Times are milliseconds since 1970. */
export interface RenewalClaim {
  readonly holder: string;
  readonly now: number;
  readonly until: number;
}

/** Sessions by key: the digest of the secret that the browser holds, so that a stolen store signs nobody in. */
export interface SessionTable {
  get(key: string): Promise<SessionRecord | undefined>;
  put(key: string, record: SessionRecord): Promise<void>;
  /** Puts only over a session that is still there; the answer is whether it was. A claim on its renewal ends. */
  replace(key: string, record: SessionRecord): Promise<boolean>;
  /** Claims the renewal of a session whose tokens are due; the answer is the session, or undefined when it is not due or another holder has the claim. */
  claimRenewal(key: string, claim: RenewalClaim): Promise<SessionRecord | undefined>;
  /** Gives a claim back, so that others need not wait for its end. */
  releaseRenewal(key: string, holder: string): Promise<void>;
  /** Marks a session as used, and touches nothing else of it. */
  touch(key: string, seenAt: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Ends the sessions of one session of the issuer or, when that is unknown, of one subject; the answer is how many. */
  deleteOf(named: { readonly subject?: string; readonly issuerSession?: string }): Promise<number>;
}

/** Ids that count once: states of sign-ins and `jti` of logout tokens. */
export interface UsedIdTable {
  /** Uses the id; false when it was used before. @param until when whatever carries the id has expired, in milliseconds since 1970 */
  use(id: string, until: number): Promise<boolean>;
  /** Takes a use back, because nothing came of it. */
  release(id: string): Promise<void>;
}

/** What all replicas share beside the cluster. */
export interface Store {
  readonly sessions: SessionTable;
  readonly accessTokens: AccessTokenTable;
  readonly auditLog: AuditLog;
  readonly usedIds: UsedIdTable;
  readonly deployments: JobDeploymentTable;
  /** Why it cannot be used now; undefined when it can. */
  unavailableReason(): Promise<string | undefined>;
  /** Waits for what is being written. */
  close(): Promise<void>;
}
