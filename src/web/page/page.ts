import type { Request, RequestHandler, Response } from 'express';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { controllerNotice, type ControllerStatus } from '../../domain/kubernetes/controller-status.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';
import { unpackInputs } from '../../domain/core/packed-inputs.ts';
import type { SignedIn } from '../../domain/core/session.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { uploadOf, type Upload } from '../../http/body/read-multipart.ts';
import { contextOf, signedInOf } from '../../http/request-context.ts';
import { forPerson } from '../form-thread/for-person.ts';
import type { FormSeal } from './sealed-inputs.ts';
import type { LiveStreams } from '../live/live-streams.ts';
import type { Operations } from '../../operation/operations.ts';
import { type Crumb, type Me, type Section, shellOf } from './shell.ts';
import type { Views } from './view-engine.ts';

/** What every route of the pages needs. */
export interface WebDeps {
  readonly operations: Operations;
  readonly views: Views;
  readonly streams: LiveStreams;
  /** A picture at an https address; undefined when there is none that can be shown. */
  readonly pictures: (address: string, signal: AbortSignal) => Promise<{ readonly type: string; readonly bytes: Buffer } | undefined>;
  /** For what pages carry on that a person typed. */
  readonly seal: FormSeal;
  /** A sentence under the sign-in button, e.g. about the demo people. */
  readonly signInHint?: string;
  /** Where people reach us, e.g. `https://catalogue.example.com`. */
  readonly publicUrl: string;
  /** What this process does about the controllers; undefined where it runs none. */
  readonly controllerStatus?: () => ControllerStatus | undefined;
}

/** A request as a page sees it. */
export interface Visit {
  readonly actor: Actor;
  /** Is asked while a page is read. */
  readonly me: Promise<Me>;
  /** For the audit log. */
  readonly requestOrigin: RequestOrigin;
  readonly query: URLSearchParams;
  /** Empty but for a form that was sent. */
  readonly body: URLSearchParams;
  /** The file that came with the form. */
  readonly upload?: Upload;
  /** A segment of the address by its name in the route. */
  param(name: string): string;
}

/** What a page answers: a view with its model, a file, a text for a script of the page, or another address (`303 See Other`). */
export type Answer = PageAnswer | FileAnswer | { readonly plainText: string } | { readonly redirect: string };
/** A file to be kept. */
export interface FileAnswer {
  readonly fileName: string;
  readonly type: 'text/yaml' | 'text/plain';
  readonly text: string;
}
export interface PageAnswer {
  readonly view: string;
  readonly title: string;
  readonly section: Section;
  readonly crumbs?: readonly Crumb[];
  readonly model: object;
  /** Default 200. */
  readonly status?: number;
  /** The browser asks for this address of ours by itself, after so many seconds. */
  readonly refresh?: { readonly seconds: number; readonly address: string };
}

/** A route that answers somebody who is signed in with a page. */
export function page(deps: WebDeps, answer: (visit: Visit) => Promise<Answer>): RequestHandler {
  return async (request, response) => {
    const asked = visitOf(deps, request, response);
    // Nothing may throw between this and where it is awaited: nobody would hear that it has failed.
    const visit = { ...asked, me: meOf(deps, signedInOf(response)) };
    // Nothing is written for a page that could not be shown.
    if (request.method !== 'GET') await visit.me;
    const [me, answered] = await Promise.all([visit.me, forPerson(visit.actor.user, () => answer(visit))]);
    await send(deps.views, response, { me, answer: answered });
  };
}

function visitOf(deps: Pick<WebDeps, 'seal'>, request: Request, response: Response): Omit<Visit, 'me'> {
  const { actor, person, subject } = signedInOf(response);
  const upload = uploadOf(request);
  return {
    actor,
    requestOrigin: { via: 'page', requestId: contextOf(response).requestId, person, ...(subject === undefined ? {} : { subject }) },
    query: queryOf(request),
    body: request.body instanceof URLSearchParams ? unpackInputs(deps.seal.unseal(actor.user, request.body)) : new URLSearchParams(),
    ...(upload === undefined ? {} : { upload }),
    ...paramsOf(request),
  };
}

/** The query of a request, as it was sent. */
export function queryOf({ originalUrl }: Pick<Request, 'originalUrl'>): URLSearchParams {
  return new URL(originalUrl, 'http://local.invalid').searchParams;
}

/** The segments of a request's address by their names in the route. */
export function paramsOf({ params }: Pick<Request, 'params'>): Pick<Visit, 'param'> {
  return { param: (name) => [params[name] ?? ''].flat().join('/') };
}

interface MeDeps extends Pick<WebDeps, 'controllerStatus'> {
  readonly operations: Pick<Operations, 'me' | 'countChangeRequests'>;
}

/** Somebody as the frame of every page knows them. */
export async function meOf({ operations, controllerStatus }: MeDeps, { actor, person }: SignedIn): Promise<Me> {
  const [me, waiting] = await Promise.all([operations.me(actor), operations.countChangeRequests(actor)]);
  const status = me.admin ? controllerStatus?.() : undefined;
  const notice = status === undefined ? undefined : controllerNotice(status);
  return { ...me, name: person.name, waiting, ...(notice === undefined ? {} : { notice }) };
}

/** Characters of a page that are rendered and sent in one turn. */
const A_TURN = 256 * 1024;

async function send(views: Views, response: Response, { me, answer }: { readonly me: Me; readonly answer: Answer }): Promise<void> {
  if ('redirect' in answer) {
    response.redirect(303, answer.redirect);
    return;
  }
  if ('plainText' in answer) {
    response.type('text/plain').send(answer.plainText);
    return;
  }
  if ('fileName' in answer) {
    response.attachment(answer.fileName).type(answer.type).send(answer.text);
    return;
  }
  const { view, title, section, crumbs, model, status, refresh } = answer;
  if (refresh !== undefined) response.set('Refresh', `${refresh.seconds}; url=${refresh.address}`);
  const frame = { title, shell: shellOf(me, section), ...(crumbs === undefined ? {} : { crumbs }) };
  // To render a large page and to send it has a turn of the event loop each.
  await yieldToEventLoop();
  const html = views.render(view, { ...model, ...frame });
  if (html.length > A_TURN) await yieldToEventLoop();
  response
    .status(status ?? 200)
    .type('html')
    .send(html);
}
