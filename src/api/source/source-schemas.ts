import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import { HEALTH_STATUSES } from '../../domain/health/health.ts';
import { RECEIVER_TYPES } from '../../domain/source/receiver.ts';
import { SOURCE_STATES } from '../../domain/source/source-view.ts';
import type { JsonSchema } from '../route.ts';
import { flag, integer, list, manifestOf, object, ref, text, time } from '../schema-parts.ts';
import { OBJECT_CHANGE } from '../upgrade/upgrade-routes.ts';

const fault = object({ file: text, line: integer, column: integer, resource: text, message: text }, ['file', 'line', 'column', 'message']);
const commit = object({ author: text, message: text, time, signedBy: text }, ['author', 'message', 'time']);
const serviceAccount = object({ namespace: text, name: text });
const origin = object(
  {
    kind: { enum: ['Folder', 'Git', 'Artifact'] },
    path: text,
    url: text,
    ref: { ...text, description: 'Such as `branch main`' },
    secret: { ...text, description: 'The Secret with the credentials, in the namespace chandlery-system' },
  },
  ['kind', 'path'],
);

const historyEntry = object(
  {
    revision: text,
    time,
    outcome: { enum: ['Applied', 'Failed', 'Waiting'] },
    applied: integer,
    added: { ...integer, description: 'How many resources the revision added to the cluster' },
    changed: { ...integer, description: 'How many resources it changed' },
    deleted: { ...integer, description: 'How many resources it deleted' },
    resources: {
      ...list(object({ change: { enum: ['Added', 'Changed', 'Removed'] }, resource: text })),
      description: 'The first 5 of them, as `Kind namespace/name`',
    },
    subject: { ...text, description: 'The first line of the commit message' },
    author: text,
    message: text,
  },
  ['revision', 'time', 'outcome', 'applied', 'deleted', 'resources', 'message'],
);

/** Components of the OpenAPI document about CatalogSources. */
export const SOURCE_SCHEMAS = {
  SourceManifest: manifestOf(CATALOG_SOURCE),
  Source: object(
    {
      name: text,
      state: { enum: SOURCE_STATES },
      reason: { ...text, description: 'The reason of the condition Ready' },
      message: text,
      advice: { ...text, description: 'What to do next; empty when there is nothing to do' },
      origin,
      revision: text,
      lastAppliedRevision: text,
      lastAppliedTime: time,
      partialRevision: { ...text, description: 'The revision that was applied last, while something of it is not live or not healthy' },
      receiver: {
        ...object({ type: { enum: RECEIVER_TYPES }, secret: text }),
        description: 'Absent without webhooks. Their address is `/hooks/{name}` of this server; the Secret has the token',
      },
      commit,
      history: { ...list(historyEntry), description: 'The last 20 revisions, the newest first' },
      intervalSeconds: integer,
      selfHealIntervalSeconds: { ...integer, description: 'After so many seconds everything is applied again' },
      healthTimeoutSeconds: { ...integer, description: 'Absent when the source does not wait for health' },
      allowedKinds: {
        ...list(object({ group: text, kind: text })),
        description:
          'The kinds that the source may hold; `*` for all. Absent: Operator, AppDefinition, Environment, GitLabDeployment, GitLabMonitoring and ResourceComposition',
      },
      mode: { enum: ['Cluster', 'Namespaced'] },
      namespaces: { ...list(text), description: 'Of the mode Namespaced: nothing outside of these' },
      serviceAccount: {
        ...serviceAccount,
        description: 'The sync has the permissions of this ServiceAccount. Absent: those of the controller',
      },
      owner: { ...text, description: 'The team, in the label `chandlery.dev/team` of everything that the source applies' },
      dependsOn: { ...list(text), description: 'Sources that must be ready before this one is applied' },
      suspended: flag,
      prune: flag,
      resources: { ...integer, description: 'How many resources the source owns' },
      faults: list(fault),
      conditions: list(ref('Condition')),
      awaitsConfirmation: { ...text, description: 'The folder or address that has to be confirmed first; absent when none has' },
      pendingRemovals: {
        ...list(
          object({ resource: text, file: text, since: time, revision: text, removeAt: time, loss: text }, [
            'resource',
            'file',
            'since',
            'revision',
          ]),
        ),
        description: 'Resources without a document that are not removed yet, at most 100. Those without `removeAt` wait for an approval',
      },
      removals: { ...integer, description: 'How many resources are pending removal' },
      awaitsApproval: { ...text, description: 'The revision whose pending removals can be approved; absent when nothing is pending' },
      created: time,
      createdBy: { ...text, description: 'The user who created it through pages or API, as its annotation says' },
      etag: { type: 'string', description: 'As in the header `ETag`, quotes included, for `If-Match`' },
    },
    [
      'name',
      'state',
      'reason',
      'message',
      'advice',
      'origin',
      'intervalSeconds',
      'selfHealIntervalSeconds',
      'mode',
      'namespaces',
      'dependsOn',
      'suspended',
      'prune',
      'resources',
      'faults',
      'pendingRemovals',
      'removals',
      'history',
      'conditions',
      'etag',
    ],
  ),
  SourcePreview: object(
    {
      name: text,
      runsAs: { ...text, description: 'The user whose permissions count for this preview: you' },
      serviceAccount: { ...serviceAccount, description: 'The sync has the permissions of this ServiceAccount instead' },
      revision: text,
      commit,
      lastAppliedRevision: text,
      changes: { ...list(OBJECT_CHANGE), description: 'Resources that are created or changed; sensitive values are masked' },
      omitted: { ...integer, description: 'How many further changes are not listed' },
      unchanged: integer,
      removed: list(
        object(
          {
            file: text,
            apiVersion: text,
            kind: text,
            namespace: text,
            name: text,
            outcome: {
              enum: ['Deleted', 'HandedOver', 'Kept'],
              description: '`HandedOver`: another source has a document of it. `Kept`: the source does not prune',
            },
          },
          ['file', 'apiVersion', 'kind', 'name', 'outcome'],
        ),
      ),
      faults: list(fault),
      missing: { ...list(ref('MissingPermission')), description: 'Missing permissions; without them, some resources are not compared' },
      awaitsApproval: { ...flag, description: 'Whether exactly this revision has pending removals, which can be approved' },
    },
    ['name', 'runsAs', 'revision', 'changes', 'omitted', 'unchanged', 'removed', 'faults', 'missing', 'awaitsApproval'],
  ),
  SourceRollback: object(
    {
      name: text,
      origin,
      entry: historyEntry,
      current: { ...flag, description: 'Whether this is the revision that was read last' },
      files: {
        ...list(
          object({
            file: text,
            change: { enum: ['Added', 'Changed', 'Removed'] },
            patch: { ...text, description: 'A unified diff from the file as it is to that of the revision' },
          }),
        ),
        description: 'Of a folder. Absent where no files of the revision are kept',
      },
      withheld: { ...list(text), description: 'Files that hold sensitive values; no copy of them is kept' },
      patch: { ...text, description: 'All differences, for `patch -p1` or `git apply`' },
      commands: list(object({ label: text, text })),
      proposable: { ...flag, description: 'Whether a merge request can be opened: `spec.git.forge` names the forge' },
    },
    ['name', 'origin', 'entry', 'current', 'withheld', 'patch', 'commands', 'proposable'],
  ),
  SourceRollbackProposal: {
    ...object(
      {
        revision: { ...text, minLength: 7, maxLength: 1000, description: 'As in `history` of the source' },
        message: { ...text, maxLength: 1000, description: 'A message to the reviewer' },
      },
      ['revision'],
    ),
    additionalProperties: false,
  },
  SourceSuspension: object({ suspended: flag }),
  OriginConfirmation: {
    ...object({ origin: { ...text, maxLength: 4096, description: 'As in `awaitsConfirmation` of the source' } }),
    additionalProperties: false,
  },
  KeptResource: {
    ...object({ resource: { ...text, maxLength: 600, description: '`Kind namespace/name`, as in `pendingRemovals` of the source' } }),
    additionalProperties: false,
  },
  PruneApproval: {
    ...object({ revision: { ...text, maxLength: 1000, description: 'As in `awaitsApproval` of the source' } }),
    additionalProperties: false,
  },
  SourceDeletion: object({
    state: { enum: ['Preview', 'Deleting'] },
    prune: { ...flag, description: 'Whether its resources are deleted with it; else they stay' },
    total: integer,
    kinds: list(object({ apiVersion: text, kind: text, count: integer, note: text })),
    resources: {
      ...list(
        object({ file: text, apiVersion: text, kind: text, namespace: text, name: text, uid: text }, [
          'file',
          'apiVersion',
          'kind',
          'name',
        ]),
      ),
      description: 'The first 100',
    },
  }),
  OwnedResource: object(
    {
      file: text,
      apiVersion: text,
      kind: text,
      namespace: text,
      name: text,
      state: {
        enum: ['Exists', 'NotFound', 'Replaced', 'Unknown'],
        description: '`Replaced`: somebody has created it anew, so the source does not own it. `Unknown`: you may not read it',
      },
      pendingRemovalSince: { ...time, description: 'Since when it has no document; absent while it has one' },
      health: object({ status: { enum: HEALTH_STATUSES }, message: text }),
      missing: ref('MissingPermission'),
      resource: { ...text, description: 'Plural and group' },
      environment: text,
    },
    ['file', 'apiVersion', 'kind', 'name', 'state'],
  ),
} as const satisfies Record<string, JsonSchema>;
