import { isVersion, isInChannel, isNewer, isPinned, isSame, type Channel, type UpgradePolicy } from '../chart/chart-version.ts';

/** The annotation by which a person approves a newer version: `1.5.0`, or `1.5.0@sha256:…` for exactly these bytes. */
export const APPROVED_UPGRADE = 'chandlery.dev/approved-upgrade';

export interface Approval {
  readonly version: string;
  /** `sha256:<hex>`; without it every archive of that version is meant. */
  readonly digest?: string;
}

/** What an approval comes to. `Without` stands for none, and for one that has been carried out. */
export type ApprovalVerdict =
  | { readonly kind: 'Without' }
  | { readonly kind: 'Given'; readonly approval: Approval }
  | { readonly kind: 'NoEffect'; readonly fault: ApprovalFault };

/** Why an approval has no effect. */
export interface ApprovalFault {
  /** One CamelCase word, the reason of the condition `Approved`. */
  readonly reason: string;
  /** A sentence that says what to do. */
  readonly message: string;
}

export interface ApprovalContext extends Channel {
  /** The annotation; empty when there is none. */
  readonly text: string;
  readonly policy: UpgradePolicy;
  readonly installed: string | undefined;
  /** What the repository offers; empty when it cannot be asked. */
  readonly offered: readonly string[];
}

/** Reads the annotation; undefined when it is not written as it should be. */
export function parseApproval(text: string): Approval | undefined {
  const [version = '', digest, ...rest] = text.trim().split('@');
  if (!isVersion(version) || rest.length > 0) return undefined;
  if (digest === undefined) return { version };
  return /^sha256:[0-9a-f]{64}$/.test(digest) ? { version, digest } : undefined;
}

/** The annotation as it is written. */
export function approvalText({ version, digest }: Approval): string {
  return digest === undefined ? version : `${version}@${digest}`;
}

/** What an approval comes to for the version that is installed. Under `Automatic` nobody needs one, and it is not looked at. */
export function checkApproval(context: ApprovalContext): ApprovalVerdict {
  const { text, policy, installed, offered, version, range } = context;
  if (text === '' || policy === 'Automatic' || installed === undefined) return { kind: 'Without' };
  const approval = parseApproval(text);
  if (approval === undefined) {
    return noEffect('ApprovalUnreadable', `${quoted(text)} is no approval; write a version, or VERSION@sha256:DIGEST`);
  }
  if (isSame(approval.version, installed)) return approval.digest === undefined ? { kind: 'Without' } : { kind: 'Given', approval };
  if (isPinned(context)) {
    const advice = `set it to ${approval.version}, or set spec.upgrade.range to follow newer versions`;
    return noEffect('ApprovalPinned', `${approval.version} was approved, but spec.chart.version pins ${version}; ${advice}`);
  }
  if (!isNewer(approval.version, installed)) {
    const advice = 'approve a newer version, or remove the annotation';
    return noEffect('ApprovalOutdated', `${approval.version} was approved, and the newer ${installed} is installed; ${advice}`);
  }
  if (!isInChannel(approval.version, context)) {
    const advice = 'widen the range, or approve a version of it';
    return noEffect('ApprovalOutOfRange', `${approval.version} was approved, but it is not in the range ${range ?? version}; ${advice}`);
  }
  if (offered.length > 0 && !offered.some((offer) => isSame(offer, approval.version))) {
    return noEffect(
      'ApprovalNotOffered',
      `${approval.version} was approved, but the repository does not offer it; approve one that it offers`,
    );
  }
  return { kind: 'Given', approval };
}

/** What was approved is what was seen. */
export function digestDiffers({ version, digest = '' }: Approval): ApprovalFault {
  const message = `${version} was approved with the digest ${digest}, but the repository now offers other bytes under that version; check the preview again, and approve it`;
  return { reason: 'ApprovalDigestMismatch', message };
}

function noEffect(reason: string, message: string): ApprovalVerdict {
  return { kind: 'NoEffect', fault: { reason, message } };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
