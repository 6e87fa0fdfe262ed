import type { Emptiness } from '../../domain/tree/emptiness.ts';
import type { ErrorCode, MissingPermission } from '../../domain/core/errors.ts';
import type { MessageView } from '../../http/http-deps.ts';
import { type Me, type PageFrame, shellOf } from './shell.ts';

/** A view of the page `message`: what happened, what to do, and the id to ask about it with. */
export interface MessagePage extends PageFrame {
  readonly symbol: string;
  readonly status: number;
  readonly message: string;
  readonly advice: string;
  readonly faults: readonly { readonly place: string; readonly message: string }[];
  /** A sentence that names the permission that is missing. */
  readonly missing?: string;
  readonly actions: readonly { readonly label: string; readonly href: string; readonly primary: boolean }[];
  readonly requestId: string;
  readonly code: string;
}

/** @param me who looks at it; undefined while nobody is signed in. */
export function messagePage(view: MessageView, me?: Me): MessagePage {
  const home = { label: me === undefined ? 'Go to the start page' : 'Go to the catalogue', href: '/', primary: view.action === undefined };
  return {
    title: view.title,
    shell: shellOf(me, 'none'),
    symbol: symbolOf(view),
    status: view.status,
    message: view.message,
    advice: adviceOn(view.code),
    faults: view.faults.map((fault) => ({
      place: fault.field ?? [fault.file, fault.line].filter(Boolean).join(':'),
      message: fault.message,
    })),
    ...(view.missing === undefined ? {} : { missing: missingSentence(view.missing) }),
    actions: [...(view.action === undefined ? [] : [{ ...view.action, primary: true }]), ...(view.action?.href === '/' ? [] : [home])],
    requestId: view.requestId,
    code: view.code ?? '',
  };
}

/** The permission in a sentence: `The permission to list operators.operatorcontroller.kubeplus in the whole cluster is missing.` */
export function missingSentence({ verb, group, resource, namespace, name }: MissingPermission): string {
  const what = `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` "${name}"`}`;
  const where = namespace === undefined ? 'in the whole cluster' : `in the namespace "${namespace}"`;
  return `The permission to ${verb} ${what} ${where} is missing.`;
}

/** Why there is nothing; empty when there is something. */
export function emptySentence(empty: Emptiness | undefined): string {
  return empty === undefined ? '' : `${empty.message}.`;
}

function symbolOf({ code, status }: MessageView): string {
  if (code === undefined) return 'anchor';
  if (code === 'Forbidden' || code === 'Unauthenticated') return 'lock';
  if (code === 'NotFound') return 'compass';
  return status >= 500 ? 'bad' : 'warn';
}

function adviceOn(code: ErrorCode | undefined): string {
  return (code !== undefined && ADVICE[code]) || '';
}

const ADVICE: Partial<Readonly<Record<ErrorCode, string>>> = {
  Forbidden: 'Ask an administrator of the cluster for the permission, or sign in as a user who has it.',
  NotFound: 'The URL may be mistyped, the resource may be deleted, or it may belong to another team.',
  InvalidInput: 'Go back, correct the named fields and submit the form again.',
  CrossSiteRequest: 'Open the page at this URL and submit the form again.',
  Conflict: 'Go back, load the page again and repeat your change on the current state.',
  LimitReached: 'Complete, close or delete one of the named items first.',
  TooManyRequests: 'Wait for the given time and try again.',
  WebhookUnavailable:
    'Nothing was changed. Report the named webhook or API service to an administrator of the cluster, and try again when it answers.',
  ClusterUnavailable: 'Wait a moment and load the page again. If the error persists, contact an administrator of the cluster.',
  IssuerUnavailable: 'Wait a moment and sign in again. If the error persists, contact an administrator of the identity provider.',
  DatabaseUnavailable:
    'You are not signed out. Wait a moment and load the page again. If the error persists, contact an administrator of Chandlery.',
  Internal: 'Load the page again. If the error persists, give the request id below to an administrator of Chandlery.',
};
