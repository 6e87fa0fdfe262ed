import type { Condition } from '../kubernetes/condition.ts';
import type { AppOverlay, EnvironmentRole } from './environment-kind.ts';

/** A tier, as the admin names it; the usual ones sort in this order. */
export const USUAL_TIERS = ['production', 'staging', 'testing', 'development'] as const;

/** An Environment as a person who may see it sees it. */
export interface EnvironmentView {
  readonly name: string;
  readonly displayName: string;
  readonly namespace: string;
  readonly tier: string;
  readonly groups: readonly { readonly name: string; readonly role: EnvironmentRole }[];
  /** Single users and service accounts, or groups. */
  readonly subjects: readonly {
    readonly kind: 'User' | 'Group' | 'ServiceAccount';
    readonly name: string;
    readonly namespace?: string;
    readonly role: EnvironmentRole;
  }[];
  /** What it lays over the catalogue, App by App. */
  readonly overlay: readonly AppOverlay[];
  readonly ready: boolean;
  /** A sentence, when it is not ready. */
  readonly message: string;
  readonly conditions: readonly Condition[];
}
