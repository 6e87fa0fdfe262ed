import { timingSafeEqual } from 'node:crypto';
import type { Secret } from '../core/secret.ts';
import { choice, object, type ValueOf } from '../kind/field.ts';
import { secretRefField } from '../kind/secret-ref.ts';

export const RECEIVER_TYPES = ['GitHub', 'GitLab', 'Gitea', 'Bitbucket', 'Generic'] as const;
export type ReceiverType = (typeof RECEIVER_TYPES)[number];

export const receiverField = object(
  {
    type: choice(RECEIVER_TYPES, {
      description: 'How the sender proves that it knows the token. Gitea is Forgejo, too; Generic is an HMAC in the header X-Signature.',
    }),
    secretRef: secretRefField('A Secret in the namespace chandlery-system with the key token, of at least 16 characters.'),
  },
  { description: 'Accepts webhooks at /hooks/<name of the source>. Each one has the source look for a new revision at once.' },
);

export type SourceReceiver = ValueOf<typeof receiverField>;

/** What a webhook is checked with. */
export interface HookCheck {
  readonly type: ReceiverType;
  readonly token: Secret;
}

/** Shorter tokens can be guessed from one signature. */
export const MIN_TOKEN = 16;

/** The header of each type; a signature is the HMAC-SHA256 of the body in hexadecimal, after a prefix. */
const PROOFS: Readonly<Record<ReceiverType, { readonly header: string; readonly prefix: string }>> = {
  GitHub: { header: 'x-hub-signature-256', prefix: 'sha256=' },
  GitLab: { header: 'x-gitlab-token', prefix: '' },
  Gitea: { header: 'x-gitea-signature', prefix: '' },
  Bitbucket: { header: 'x-hub-signature', prefix: 'sha256=' },
  Generic: { header: 'x-signature', prefix: 'sha256=' },
};

/**
 * Whether the sender of a webhook knows the token. Compares in constant time.
 *
 * @param digest gives the HMAC-SHA256 with the token: of the body, or of a text.
 */
export function isGenuineHook(
  { type, token }: HookCheck,
  sent: { readonly header: (name: string) => string | undefined; readonly body: Buffer; readonly digest: (text: string) => Buffer },
): boolean {
  const { header, prefix } = PROOFS[type];
  const proof = sent.header(header) ?? '';
  // GitLab sends the token itself; digests of both have the same length.
  if (type === 'GitLab') return timingSafeEqual(sent.digest(proof), sent.digest(token.reveal()));
  const hex = proof.startsWith(prefix) ? proof.slice(prefix.length) : '';
  return /^[0-9a-f]{64}$/i.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), sent.body);
}
