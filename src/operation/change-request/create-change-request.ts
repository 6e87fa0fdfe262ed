import { randomBytes } from 'node:crypto';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import { specVersionOf, type Preflight } from '../../domain/instance/instance.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { applyMergePatch, isSame, mergePatchBetween } from '../../domain/core/merge-patch.ts';
import { otherFieldsOf, contentOf } from '../../domain/instance/instance-content.ts';
import { objectAt } from '../../domain/core/read.ts';
import { apiVersionOf, type JsonObject } from '../../domain/kubernetes/resource.ts';
import { type ChangeRequestSpec, MAX_MESSAGE_LENGTH } from '../../domain/change-request/change-request-kind.ts';
import { changeRequestOf, REQUEST_LIMITS, type RequestAction, type RequestFindings } from '../../domain/change-request/change-request.ts';
import { CHANGE_REQUEST } from '../../domain/kubernetes/resource-types.ts';
import { appForm } from '../../form/model/app-form.ts';
import { sensitivePaths } from '../../schema/sensitive/sensitive-values.ts';
import { findInstance } from '../instance/find-instance.ts';
import { markedOf, unmaskContent } from '../instance/instance-masking.ts';
import { prepareDraft, rejectDraft, USER_WRITE, type InstanceDraft } from '../instance/instance-draft.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { instanceEvent, audited } from '../audit/audited.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import type { Ports } from '../ports.ts';
import { preflightChange } from '../preflight/preflight-change.ts';
import { preflightInstance } from '../preflight/preflight-instance.ts';
import { showApp } from '../app/show-app.ts';
import { ownGroups, requestsIn, requestWritten } from './request-access.ts';
import { changeRequestSummary, type ChangeRequestSummary } from './show-change-request.ts';

/** What somebody wants another to install or change. */
export interface ChangeRequestDraft extends InstanceDraft, RequestOrigin {
  readonly action: RequestAction;
  /** Of a change: the `specVersionOf` the Instance that it was made on; absent for whatever is there. */
  readonly specVersion?: string;
  readonly message: string;
}

type Needs = EnvironmentPorts & Pick<Ports, 'chart' | 'changeRequests' | 'publicUrl' | 'auditLog'>;

const MAX_CONTENT_BYTES = 64 * 1024;
const MAX_LINES = 20;

/**
 * Creates a ChangeRequest as the actor, in the namespace of the environment. Nothing else is written.
 *
 * @throws AppError `InvalidInput` for what the cluster would reject from anybody and for values that are secrets; `TooLarge`;
 *   `LimitReached` beyond the bounds; else as the preflight of it.
 */
export async function createChangeRequest(ports: Needs, actor: Actor, wish: ChangeRequestDraft): Promise<ChangeRequestSummary> {
  return await audited(ports, actor, instanceEvent('create change request', wish, wish), async () => await ask(ports, actor, wish));
}

async function ask(ports: Needs, actor: Actor, wish: ChangeRequestDraft): Promise<ChangeRequestSummary> {
  const message = parseMessage(wish.message);
  rejectNewSecrets(wish);
  const { content, otherFields, base, preflight } =
    wish.action === 'install' ? await installation(ports, actor, wish) : await change(ports, actor, wish);
  if (preflight.missing.length === 0 && preflight.faults.length > 0) {
    throw new AppError('InvalidInput', 'change request: the cluster rejects this resource for every user; correct it first', {
      faults: preflight.faults,
    });
  }
  await rejectSecrets(ports, actor, { app: wish.app, content: { ...otherFields, spec: content } });
  return await create(ports, actor, wish.environment, {
    action: wish.action === 'install' ? 'Install' : 'Change',
    app: wish.app,
    name: preflight.object.metadata.name,
    content,
    ...(Object.keys(otherFields).length === 0 ? {} : { otherFields }),
    base,
    preflight: findingsOf(preflight),
    message,
    requester: { user: actor.user, groups: ownGroups(actor) },
  });
}

interface Wanted {
  readonly content: JsonObject;
  readonly otherFields: JsonObject;
  readonly base: string;
  readonly preflight: Preflight;
}

/** A value that nobody may see cannot wait for somebody else, and what refers to a Secret that is not there would not work. */
function rejectNewSecrets({ secrets = [] }: ChangeRequestDraft): void {
  if (secrets.length === 0) return;
  throw invalid('spec', `A change request cannot make Secrets (${secrets.map(({ name }) => name).join(', ')}): refer to existing ones`);
}

/** What the catalogue starts new instances with is part of the wish from now on, so that it stays what it is. */
async function installation(
  ports: Needs,
  actor: Actor,
  { environment, app, name, spec, otherFields }: ChangeRequestDraft,
): Promise<Wanted> {
  const draft = { environment, app, name, spec, ...(otherFields === undefined ? {} : { otherFields }) };
  const prepared = await prepareDraft(ports, actor, draft);
  // It could not be approved.
  rejectDraft(prepared);
  const content = contentOf(prepared.object);
  return {
    content: objectAt(content, 'spec') as JsonObject,
    otherFields: otherFieldsOf(content),
    base: '',
    preflight: await preflightInstance(ports, actor, draft),
  };
}

async function change(ports: Needs, actor: Actor, wish: ChangeRequestDraft): Promise<Wanted> {
  const { environment, app, name, spec: sent, otherFields = {}, specVersion } = wish;
  const { entry, object } = await findInstance(ports, actor, { environment, app, name });
  const before = object.spec ?? {};
  const spec = objectAt(unmaskContent(markedOf(entry), { spec: sent }, object), 'spec') as JsonObject;
  const content = mergePatchBetween(before, spec) as JsonObject;
  if (!isSame(applyMergePatch(before, content), spec)) {
    throw invalid('spec', 'A change request cannot set a value to null: leave the field out instead, or change the instance in one step');
  }
  if (Object.keys(content).length === 0 && Object.keys(otherFields).length === 0)
    throw invalid('spec', 'No field differs from the live object: change something first');
  const preflight = await preflightChange(ports, actor, {
    environment,
    app,
    name,
    spec,
    otherFields,
    specVersion: specVersion ?? specVersionOf(object),
  });
  return { content, otherFields, base: specVersionOf(object), preflight };
}

/** A change request is read by everybody in the environment: no place for a password. */
async function rejectSecrets(
  ports: Needs,
  actor: Actor,
  { app, content }: { readonly app: string; readonly content: JsonObject },
): Promise<void> {
  const paths = sensitivePaths(appForm(await showApp(ports, actor, app), 'create'), content);
  if (paths.length === 0) return;
  const advice =
    'A change request must not contain a secret: put it into a Secret of the environment and refer to that, or leave the field to the approver';
  const faults = paths.map((field) => ({ field, message: advice }));
  throw new AppError('InvalidInput', `change request: ${paths.join(', ')}: ${advice}`, { faults });
}

function parseMessage(text: string): string {
  const message = text.replaceAll('\r\n', '\n').trim();
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  throw invalid('message', `Write at most ${MAX_MESSAGE_LENGTH} characters`);
}

function invalid(field: string, message: string): AppError {
  return new AppError('InvalidInput', `change request: ${message}`, { faults: [{ field, message }] });
}

function findingsOf({ verdict, findings }: Preflight): RequestFindings {
  const lines = (group: 'blocked' | 'warned'): string[] => findings[group].slice(0, MAX_LINES).map(({ message }) => message.slice(0, 500));
  return { verdict, blocked: lines('blocked'), warned: lines('warned') };
}

async function create(ports: Needs, actor: Actor, environment: string, spec: ChangeRequestSpec): Promise<ChangeRequestSummary> {
  if (stringifyJson(spec.content).length > MAX_CONTENT_BYTES) {
    throw new AppError(
      'TooLarge',
      `change request: its content is larger than ${MAX_CONTENT_BYTES / 1024} KiB: request it in smaller steps`,
    );
  }
  const { namespace } = await findEnvironment(ports.clusters, actor, environment);
  await checkLimit(ports, actor, { name: environment, namespace });
  const name = `${spec.name.slice(0, 54)}-${randomBytes(4).toString('hex')}`;
  const object = { apiVersion: apiVersionOf(CHANGE_REQUEST), kind: CHANGE_REQUEST.kind, metadata: { name, namespace }, spec };
  const written = await ports.clusters.asActor(actor).create(CHANGE_REQUEST, object, USER_WRITE);
  requestWritten(ports);
  return changeRequestSummary(changeRequestOf(written.object, { environment, now: ports.changeRequests.now() }));
}

async function checkLimit(ports: Needs, actor: Actor, environment: { readonly name: string; readonly namespace: string }): Promise<void> {
  const all = await requestsIn(ports, actor, environment);
  const open = all.filter(({ state, requester }) => state === 'open' && requester.user === actor.user);
  if (open.length < REQUEST_LIMITS.ofPerson) return;
  throw new AppError(
    'LimitReached',
    `change request: you have ${REQUEST_LIMITS.ofPerson} open requests in ${environment.name}, which is the limit: withdraw one, or wait until one is closed`,
  );
}
