import { ifFound } from '../../domain/kubernetes/if-found.ts';
import { SELF_SUBJECT_REVIEW } from '../../domain/kubernetes/resource-types.ts';
import type { CallOptions, DryRunCluster, DryRunOptions, DryRunAnswer } from '../../domain/kubernetes/cluster.ts';
import { AppError } from '../../domain/core/errors.ts';
import { at, isObject, textAt } from '../../domain/core/read.ts';
import type { Json, KubeObject, ObjectMeta, ResourceRef, ResourceType } from '../../domain/kubernetes/resource.ts';
import { callFor } from './call.ts';
import { reviewRight } from '../cluster.ts';
import { resourcePath, type Place } from './paths.ts';
import type { Answer, Caller } from './transport.ts';
import { METADATA_OF_ONE } from './dry-run-guard.ts';

/** The api-server for one identity that only tries. */
export function createDryRun(deps: Caller): DryRunCluster {
  return {
    dryRunApply: (type, object, options) => dryRunApply(deps, type, { object, options }),
    dryRunCreate: (type, object, options) => dryRunCreate(deps, type, { object, options }),
    metadataOf: (ref, options) => metadataOf(deps, ref, options),
    review: (right, options) => reviewRight(deps, right, options),
    account: (options) => accountOf(deps, options),
  };
}

interface DryRunInput {
  readonly object: KubeObject;
  readonly options: DryRunOptions;
}

/** As Helm applies: with force, and without minding fields that the schema does not know. */
async function dryRunApply(deps: Caller, type: ResourceType, { object, options }: DryRunInput): Promise<DryRunAnswer> {
  const { fieldManager, signal } = options;
  const place: Place = { ...type, namespace: object.metadata.namespace, name: object.metadata.name };
  const answer = await deps.transport.request({
    ...callFor(deps.identity, 'patch', place),
    method: 'PATCH',
    path: resourcePath(place, { dryRun: 'All', fieldManager, fieldValidation: 'Ignore', force: 'true' }),
    accept: METADATA_OF_ONE,
    contentType: 'application/apply-patch+yaml',
    body: object,
    signal,
  });
  return triedOf(answer);
}

async function dryRunCreate(deps: Caller, type: ResourceType, { object, options }: DryRunInput): Promise<DryRunAnswer> {
  const { fieldManager, signal } = options;
  const collection: Place = { ...type, namespace: object.metadata.namespace };
  const answer = await deps.transport.request({
    ...callFor(deps.identity, 'create', { ...collection, name: object.metadata.name }),
    method: 'POST',
    path: resourcePath(collection, { dryRun: 'All', fieldManager, fieldValidation: 'Ignore' }),
    accept: METADATA_OF_ONE,
    body: object,
    signal,
  });
  return triedOf(answer);
}

async function metadataOf(deps: Caller, ref: ResourceRef, { signal }: CallOptions = {}): Promise<ObjectMeta | undefined> {
  const call = callFor(deps.identity, 'get', ref);
  const answer = await ifFound(
    deps.transport.request({ ...call, method: 'GET', path: resourcePath(ref), accept: METADATA_OF_ONE, signal }),
  );
  return answer === undefined ? undefined : metadataIn(answer.body);
}

async function accountOf(deps: Caller, { signal }: CallOptions = {}): Promise<string> {
  const place: Place = SELF_SUBJECT_REVIEW;
  const { body } = await deps.transport.request({
    ...callFor(deps.identity, 'create', place),
    method: 'POST',
    path: resourcePath(place),
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    signal,
  });
  const user = textAt(body, 'status', 'userInfo', 'username');
  if (user === undefined) throw new AppError('ClusterUnavailable', 'ask for the account: the answer names none');
  return user;
}

function triedOf({ body, warnings }: Answer): DryRunAnswer {
  return { metadata: metadataIn(body), warnings };
}

function metadataIn(body: Json): ObjectMeta {
  const metadata = at(body, 'metadata');
  if (isObject(metadata) && textAt(metadata, 'name') !== undefined) return metadata as unknown as ObjectMeta;
  throw new AppError('ClusterUnavailable', 'cluster: the answer is no Kubernetes object; is this a Kubernetes api-server?');
}
