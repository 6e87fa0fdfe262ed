import type { AuditLog } from '../domain/audit/audit-log.ts';
import type { SessionRecord } from '../domain/core/session.ts';
import type { SavedConfigurationTable } from '../domain/saved-configuration/saved-configuration.ts';
import type { ChangeRequestTable } from '../domain/change-request/change-request.ts';

/** Sessions by key: the digest of the secret that the browser holds, so that a stolen store signs nobody in. */
export interface SessionTable {
  get(key: string): Promise<SessionRecord | undefined>;
  put(key: string, record: SessionRecord): Promise<void>;
  /** Puts only over a session that is still there; the answer is whether it was. */
  replace(key: string, record: SessionRecord): Promise<boolean>;
  /** Marks a session as used, and touches nothing else of it. */
  touch(key: string, seenAt: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Ends the sessions of one session of the issuer or, when that is unknown, of one subject; the answer is how many. */
  deleteOf(named: { readonly subject?: string; readonly issuerSession?: string }): Promise<number>;
}

/** What one machine, or later all replicas, keep beside the cluster. */
export interface Store {
  readonly sessions: SessionTable;
  readonly auditLog: AuditLog;
  readonly changeRequests: ChangeRequestTable;
  readonly savedConfigurations: SavedConfigurationTable;
  /** A random secret of 32 bytes that stays the same for this name; made at the first call. */
  secret(name: string): Promise<Uint8Array>;
  /** Waits for what is being written. */
  close(): Promise<void>;
}
