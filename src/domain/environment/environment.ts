import type { Condition } from '../kubernetes/condition.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { AllowedApps } from './allowed-apps.ts';
import type { EnvironmentFact } from './environment-facts.ts';
import type { EnvironmentNetworkPolicy } from './network-policy.ts';
import type { AppOverlay, EnvironmentRole } from './environment-kind.ts';

/** A tier, as the admin names it; the usual ones sort in this order. */
export const USUAL_TIERS = ['production', 'staging', 'testing', 'development'] as const;

/** The place of a tier in the order in which a change goes through them: other tiers, development, testing, staging, production. */
export function tierRank(tier: string): number {
  const rank = USUAL_TIERS.findIndex((usual) => usual === tier);
  return rank < 0 ? -1 : USUAL_TIERS.length - rank;
}

/** On an Environment: "true" lets it take over a namespace that exists and that no Environment owns. */
export const ADOPT_ANNOTATION = `${OURS.group}/adopt-namespace`;

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
  /** The Apps that can be installed in it; absent: all. */
  readonly allowedApps?: AllowedApps;
  /** Its isolation; absent: none. */
  readonly networkPolicy?: EnvironmentNetworkPolicy;
  /** What else there is to know about it. */
  readonly facts: readonly EnvironmentFact[];
  readonly ready: boolean;
  /** A sentence, when it is not ready. */
  readonly message: string;
  readonly conditions: readonly Condition[];
}

/** The same with its resource. */
export interface EnvironmentDetails extends EnvironmentView {
  /** With stand-ins for the sensitive values of its overlay. */
  readonly object: KubeObject;
  /** Strong, quotes included. */
  readonly etag: string;
}
