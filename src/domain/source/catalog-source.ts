import { gunzipSync, gzipSync } from 'node:zlib';
import { isObject } from '../core/read.ts';
import { AGE_COLUMN, MESSAGE_COLUMN, READY_COLUMN, RECONCILE_AT_COLUMN, type Kind } from '../kind/kind.ts';
import {
  choice,
  conditionsField,
  duration,
  flag,
  generation,
  integer,
  list,
  object,
  optional,
  orEmpty,
  text,
  time,
  type ValueOf,
} from '../kind/field.ts';
import { commitField, gitField } from './git-source.ts';
import { ociField } from './oci-source.ts';
import { receiverField } from './receiver.ts';
import { CATALOG_SOURCE } from '../kubernetes/resource-types.ts';

const folder = object(
  {
    path: text({
      description: 'The absolute path of the folder. All .yaml and .yml files in it and below are read; links that leave it are rejected.',
      minLength: 1,
      maxLength: 4096,
      pattern: '^/',
    }),
  },
  { description: 'A folder on the machine of the controller. Exclusive with git and oci.' },
);

const allowedKinds = list(
  object(
    {
      group: text({
        description: "The API group, for example apps; empty for that of Kubernetes' core, * for every group.",
        maxLength: 253,
      }),
      kind: text({ description: 'The kind, for example Deployment; * for every kind of the group.', minLength: 1, maxLength: 63 }),
    },
    {},
  ),
  {
    description:
      'The kinds that the source may hold. Default: Operator, AppDefinition, Environment, GitLabDeployment, GitLabMonitoring and ResourceComposition.',
    minItems: 1,
    maxItems: 100,
    merge: 'atomic',
  },
);

const serviceAccount = object(
  {
    namespace: text({ description: 'Its namespace.', minLength: 1, maxLength: 63 }),
    name: text({ description: 'Its name.', minLength: 1, maxLength: 253 }),
  },
  {
    description:
      'The ServiceAccount whose permissions count: everything that the source holds is read, applied and deleted as this account. Default: the account of the controller.',
  },
);

const spec = object(
  {
    folder: optional(folder),
    git: optional(gitField),
    oci: optional(ociField),
    kustomize: optional(
      object(
        {
          path: text({
            description: 'The folder of its kustomization.yaml, below the folder or git.path. What it refers to has to be there, too.',
            minLength: 1,
            maxLength: 1024,
            rules: [
              {
                rule: "!self.startsWith('/') && self.split('/').all(part, part != '' && part != '.' && part != '..')",
                message: 'must be a path inside the folder, for example clusters/production',
              },
            ],
          }),
        },
        { description: 'A kustomization that is rendered. A folder with a kustomization.yaml of its own is rendered without this.' },
      ),
    ),
    receiver: optional(receiverField),
    allowedKinds: optional(allowedKinds),
    mode: choice(['Cluster', 'Namespaced'], {
      description: 'Namespaced: the source may hold objects of the namespaces in namespaces alone, and nothing that is cluster-scoped.',
      default: 'Cluster',
    }),
    namespaces: orEmpty(
      list(text({ maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }), {
        description: 'The namespaces of the mode Namespaced. If there is one, a document without a namespace goes there.',
        maxItems: 100,
        merge: 'set',
      }),
    ),
    serviceAccount: optional(serviceAccount),
    owner: optional(
      text({
        description: 'The team that owns what the source holds. Everything it applies has the label chandlery.dev/team with this value.',
        minLength: 1,
        maxLength: 63,
        pattern: '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
      }),
    ),
    dependsOn: orEmpty(
      list(text({ minLength: 1, maxLength: 63 }), {
        description: 'The names of CatalogSources that have to be ready, at their current generation, before this one is applied.',
        maxItems: 50,
        merge: 'set',
      }),
    ),
    wait: flag({
      description: 'Whether everything applied has to be healthy before the revision counts as applied, and before anything is deleted.',
      default: false,
    }),
    timeout: duration({ name: 'timeout', description: 'How long to wait for that.', default: '5m', from: '1s' }),
    prune: flag({
      description: 'Whether to delete a resource when its document is gone from the folder. Its own deletion policy still holds.',
      default: true,
    }),
    pruneDelay: duration({
      name: 'pruneDelay',
      description:
        'How long a resource without a document is pending removal before it is deleted. A document that returns until then undoes the removal. At least 1s.',
      default: '1m',
      from: '1s',
    }),
    suspend: flag({ description: 'Whether to leave everything as it is until this is false again.', default: false }),
    interval: duration({
      name: 'interval',
      description: 'How often the repository is asked for a new revision, for example 1m. At least 10s. A changed folder is read at once.',
      default: '10m',
      from: '10s',
    }),
    selfHealInterval: duration({
      name: 'selfHealInterval',
      description:
        'How often everything is applied again although nothing changed, so that what somebody deleted or removed by hand comes back. At least 10s.',
      default: '10m',
      from: '10s',
    }),
  },
  {
    description: 'Where the YAML files are, and what to do with resources that are not among them any more.',
    rules: [
      { rule: '[has(self.folder), has(self.git), has(self.oci)].filter(set, set).size() == 1', message: 'set one of folder, git and oci' },
      { rule: '!has(self.receiver) || !has(self.folder)', message: 'a folder needs no receiver: it is watched' },
      {
        rule: "(self.mode == 'Namespaced') == (has(self.namespaces) && size(self.namespaces) > 0)",
        message: 'namespaces belong to the mode Namespaced, and it needs at least one',
      },
    ],
  },
);

const inventoryItem = object(
  {
    file: text({ description: 'The file, relative to the folder.' }),
    apiVersion: text({ description: 'The apiVersion of the resource.' }),
    kind: text({ description: 'The kind of the resource.' }),
    namespace: optional(text({ description: 'The namespace of the resource, absent for cluster-scoped ones.' })),
    name: text({ description: 'The name of the resource.' }),
    uid: optional(
      text({
        description:
          "The uid of the resource, once it has been applied. A resource of the same name that somebody made anew is not the source's.",
      }),
    ),
    movedFrom: optional(
      text({ description: 'The former name of a resource that a revision has renamed, of an Operator with its namespace.' }),
    ),
    missing: optional(
      object(
        {
          since: time({ description: 'When the source was first read without the document.' }),
          revision: text({ description: 'The revision that was read then.' }),
        },
        { description: 'Since when the resource has no document; absent while it has one.' },
      ),
    ),
  },
  {},
);

const inventoryField = list(inventoryItem, {
  description: 'The resources that this source owns, each with the file that it came from. Empty when packedInventory has them.',
});

const fault = object(
  {
    file: text({ description: 'The file, relative to the folder; empty when the folder as a whole is meant.' }),
    line: integer({ description: 'The line, counted from 1; 0 when the file as a whole is meant.' }),
    column: integer({ description: 'The column, counted from 1; 0 when the file as a whole is meant.' }),
    resource: optional(text({ description: 'The resource, as Kind namespace/name, when it could be read.' })),
    message: text({ description: 'What is wrong and what to do about it.' }),
  },
  {},
);

const pendingRemoval = object(
  {
    resource: text({ description: 'The resource, as Kind namespace/name.' }),
    file: text({ description: 'The file that its document was in, relative to the folder.' }),
    since: time({ description: 'When the source was first read without the document.' }),
    revision: text({ description: 'The revision that was read then.' }),
    removeAt: optional(
      time({ description: 'When the resource is removed unless its document returns; absent when the removal has to be approved.' }),
    ),
    loss: optional(text({ description: 'What else is lost with it; absent where only the number of removals has to be approved.' })),
  },
  {},
);

const revisionChange = object(
  {
    change: choice(['Added', 'Changed', 'Removed'], { description: 'What the revision did to the resource.' }),
    resource: text({ description: 'The resource, as Kind namespace/name.' }),
  },
  {},
);

const historyEntry = object(
  {
    revision: text({ description: 'The revision.' }),
    time: time({ description: 'When this came of it.' }),
    outcome: choice(['Applied', 'Failed', 'Waiting'], {
      description:
        'Applied: everything is live. Failed: it has faults, in status.faults at that time. Waiting: somebody has to approve it.',
    }),
    applied: integer({ description: 'How many resources it applied.' }),
    added: optional(integer({ description: 'How many resources it added to the cluster.' })),
    changed: optional(integer({ description: 'How many resources it changed.' })),
    deleted: integer({ description: 'How many resources it deleted.' }),
    resources: orEmpty(list(revisionChange, { description: 'The first 5 resources that it added, changed or removed.', merge: 'atomic' })),
    subject: optional(text({ description: 'The first line of the commit message; absent for a folder or artifact.' })),
    author: optional(text({ description: 'Name and email address of the author of the commit.' })),
    message: text({ description: 'A sentence for people.' }),
  },
  {},
);

const status = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    lastHandledReconcileAt: optional(
      text({ description: 'The value of the annotation chandlery.dev/reconcile-at that was handled last.' }),
    ),
    revision: optional(
      text({
        description:
          'What was read last: the digest of the folder, ref and commit of the repository, as main@sha1:…, or tag and digest of the artifact, as v1.0.0@sha256:….',
      }),
    ),
    lastAppliedRevision: optional(text({ description: 'The revision that was applied last without a fault.' })),
    lastAppliedTime: optional(time({ description: 'When the content was applied last.' })),
    origin: optional(
      text({
        description:
          'Where the inventory comes from: the path of the folder, or the address of the repository or artifact. Another folder has to be confirmed by the annotation chandlery.dev/confirmed-origin.',
      }),
    ),
    partialRevision: optional(
      text({
        description:
          'The revision of a repository or artifact that was applied last, while something of it is not live or not healthy: a resource was rejected, or waits. Absent when lastAppliedRevision is live as a whole.',
      }),
    ),
    commit: optional(commitField),
    history: orEmpty(
      list(historyEntry, { description: 'What came of the last 20 revisions, and what each changed, the newest first.', merge: 'atomic' }),
    ),
    inventory: orEmpty(inventoryField),
    packedInventory: optional(
      text({
        description: 'The inventory of a source with more than 1,000 resources: the same list as JSON, compressed by gzip, in base64.',
      }),
    ),
    resources: optional(integer({ description: 'How many resources the source owns.' })),
    faults: orEmpty(
      list(fault, { description: 'What is wrong in the folder, at most 100 of them. What has no fault is live all the same.' }),
    ),
    pendingRemovals: orEmpty(
      list(pendingRemoval, {
        description: 'Resources without a document that are not removed yet, at most 100. Those without removeAt wait for an approval.',
        merge: 'atomic',
      }),
    ),
    removals: optional(integer({ description: 'How many resources are pending removal; absent when none is.' })),
    conditions: conditionsField('the source'),
  },
  { description: 'What the controller found and did. Written by the controller alone.' },
);

/** A larger inventory would not fit into one object of etcd. */
const LARGE_INVENTORY = 1_000;
const unpacked = new WeakMap<object, SourceStatus['inventory']>();

/** The status with its inventory, however it is stored. */
const readableStatus: typeof status = {
  ...status,
  read: (value) => {
    const found = status.read(value);
    if (found?.packedInventory === undefined) return found;
    const { packedInventory, ...rest } = found;
    const known = isObject(value) ? unpacked.get(value) : undefined;
    const inventory = known ?? unpackInventory(packedInventory);
    if (isObject(value)) unpacked.set(value, inventory);
    return { ...rest, inventory };
  },
};

function unpackInventory(packed: string): SourceStatus['inventory'] {
  try {
    const text = gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: 64 * 1024 * 1024 }).toString();
    return inventoryField.read(JSON.parse(text)) ?? [];
  } catch {
    // Somebody has changed it. Nothing is deleted on its account, and what has a document is found anew.
    return [];
  }
}

/** The status as it is stored: a large inventory is compressed. */
export function storedStatus(found: SourceStatus): SourceStatus {
  const resources = found.inventory.length;
  if (resources <= LARGE_INVENTORY) return { ...found, resources };
  const packedInventory = gzipSync(JSON.stringify(found.inventory)).toString('base64');
  return { ...found, inventory: [], packedInventory, resources };
}

export type SourceSpec = ValueOf<typeof spec>;

/** The path of the folder of a source, or the address of its repository or artifact. */
export function originOfSpec({ folder, git, oci }: SourceSpec): string {
  return folder?.path ?? git?.url ?? oci?.url ?? '';
}

export type SourceStatus = ValueOf<typeof status>;
/** What came of a revision. */
export type HistoryEntry = ValueOf<typeof historyEntry>;
/** A resource without a document that is not removed yet. */
export type PendingRemoval = ValueOf<typeof pendingRemoval>;
/** A resource that a source owns. */
export type InventoryItem = ValueOf<typeof inventoryItem>;
/** What is wrong in a catalogue folder, and where. */
export type SourceFault = ValueOf<typeof fault>;

export const CATALOG_SOURCE_KIND: Kind<SourceSpec, SourceStatus> = {
  type: CATALOG_SOURCE,
  description: 'A CatalogSource is a folder, git repository or OCI artifact whose YAML files are kept in step with the cluster.',
  columns: [
    READY_COLUMN,
    { name: 'Revision', type: 'string', description: 'The digest of the content that was read last', jsonPath: '.status.revision' },
    { name: 'Removals', type: 'integer', description: 'How many resources are pending removal', jsonPath: '.status.removals' },
    RECONCILE_AT_COLUMN,
    MESSAGE_COLUMN,
    AGE_COLUMN,
  ],
  rules: [
    {
      rule: 'oldSelf.hasValue() || size(self.metadata.name) <= 63',
      optionalOldSelf: true,
      message: 'the name must be at most 63 characters, as it is a label of what the source owns',
    },
  ],
  spec,
  status: readableStatus,
};
