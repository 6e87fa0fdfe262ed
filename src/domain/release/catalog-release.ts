import { AGE_COLUMN, MESSAGE_COLUMN, READY_COLUMN, type Kind } from '../kind/kind.ts';
import { choice, conditionsField, foreign, generation, list, object, optional, orEmpty, text, type ValueOf } from '../kind/field.ts';
import { CATALOG_RELEASE } from '../kubernetes/resource-types.ts';

/** In the order in which a release goes through them. */
const RELEASE_STATES = ['wip', 'active', 'deprecated', 'archived'] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];

/** `v21.0.0` or `v21.0.0-rc.1`; build metadata has no place in a label. */
const VERSION_PATTERN =
  '^v(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)(-(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*)?$';
const DIGEST_PATTERN = '^sha256:[0-9a-f]{64}$';
const MAX_COMPONENTS = 200;

const name = text({
  description: 'The name of the component: that of its Operator, or of its files in base/ and overlay/ without .yaml.',
  minLength: 1,
  maxLength: 63,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
});

const component = object(
  {
    name,
    chart: optional(text({ description: 'The name of the chart.', minLength: 1, maxLength: 253 })),
    version: text({ description: 'The version of the component; of an Operator, the version of its chart.', minLength: 1, maxLength: 64 }),
    digest: optional(text({ description: 'The SHA-256 of the packed chart.', pattern: DIGEST_PATTERN })),
    dependsOn: orEmpty(
      list(text({ minLength: 1, maxLength: 63 }), {
        description: 'Components that have to be upgraded first.',
        maxItems: 50,
        merge: 'set',
      }),
    ),
    values: optional(foreign({ description: 'Base values of the chart. They lie over spec.values of the Operator.' })),
  },
  {},
);

const spec = object(
  {
    version: text({ description: 'The version of the release, such as v21.0.0.', maxLength: 40, pattern: VERSION_PATTERN }),
    state: choice(RELEASE_STATES, {
      description: 'wip may still change. active is immutable; deprecated and archived follow. Nothing upgrades to an archived release.',
      default: 'wip',
    }),
    digest: optional(
      text({
        description: 'The SHA-256 of the content of the release in git. Required once the release is active.',
        pattern: DIGEST_PATTERN,
      }),
    ),
    upgradesFrom: orEmpty(
      list(text({ minLength: 1, maxLength: 100 }), {
        description: 'Versions or ranges of versions that can be upgraded to this release, such as >=20.0.0 <21.0.0. Empty: none.',
        maxItems: 50,
      }),
    ),
    components: orEmpty(list(component, { description: 'What the release consists of.', maxItems: MAX_COMPONENTS, merge: { by: 'name' } })),
  },
  {
    description: 'A versioned set of charts and base values.',
    rules: [
      { rule: "self.state == 'wip' || has(self.digest)", message: 'digest is required once the state is not wip' },
      {
        rule: "oldSelf.state == 'wip' || (self.version == oldSelf.version && has(self.digest) && self.digest == oldSelf.digest && (has(self.upgradesFrom) ? self.upgradesFrom : []) == (has(oldSelf.upgradesFrom) ? oldSelf.upgradesFrom : []) && (has(self.components) ? self.components : []) == (has(oldSelf.components) ? oldSelf.components : []))",
        message: 'a release that is not wip is immutable but for its state; make a new version',
      },
      {
        rule: "oldSelf.state == 'wip' || self.state == 'archived' || (oldSelf.state == 'active' && self.state != 'wip') || (oldSelf.state == 'deprecated' && self.state == 'deprecated')",
        message: 'the state only moves forward: wip, active, deprecated, archived',
      },
    ],
  },
);

const ownComponent = object(
  {
    name: text({ description: 'The name of the component.' }),
    version: text({ description: 'The version that runs.' }),
    release: optional(text({ description: 'The release that has this version.' })),
  },
  {},
);

const target = object(
  {
    name: text({ description: 'The installation and its cluster or environment, as installation.cluster.' }),
    resources: orEmpty(list(text({}), { description: 'The Operators and Environments with this release, as Kind namespace/name.' })),
    components: orEmpty(
      list(ownComponent, {
        description: 'Components that run another version than this release has, because they were upgraded on their own.',
      }),
    ),
    next: orEmpty(list(text({}), { description: 'Active releases that the target can be upgraded to, the newest first.' })),
  },
  {},
);

const status = object(
  {
    observedGeneration: optional(generation({ description: 'The generation of the spec that this status is about.' })),
    targets: orEmpty(
      list(target, { description: 'What runs this release: the targets of the label chandlery.dev/release.', merge: { by: 'name' } }),
    ),
    runsIn: orEmpty(text({ description: 'The names of the targets, for kubectl get.' })),
    next: orEmpty(list(text({}), { description: 'Active releases that upgrade from this one, the newest first.' })),
    conditions: conditionsField('the release'),
  },
  { description: 'What the controller found. Written by the controller alone.' },
);

export type ReleaseSpec = ValueOf<typeof spec>;
export type ReleaseStatus = ValueOf<typeof status>;
export type ReleaseComponent = ValueOf<typeof component>;
export type ReleaseTarget = ValueOf<typeof target>;

export const CATALOG_RELEASE_KIND: Kind<ReleaseSpec, ReleaseStatus> = {
  type: CATALOG_RELEASE,
  description:
    'A CatalogRelease is a versioned set of charts and base values that environments and clusters run. Once active it is immutable.',
  columns: [
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'State', type: 'string', jsonPath: '.spec.state' },
    { name: 'Runs-In', type: 'string', description: 'The targets that run this release', jsonPath: '.status.runsIn' },
    { name: 'Next', type: 'string', description: 'The newest release that upgrades from this one', jsonPath: '.status.next[0]' },
    READY_COLUMN,
    { ...MESSAGE_COLUMN, priority: 1 },
    AGE_COLUMN,
  ],
  rules: [
    {
      rule: "self.metadata.name == self.spec.version || self.metadata.name.endsWith('-' + self.spec.version)",
      message: 'the name must be the version, or PROVIDER-VERSION, for example aws-v21.0.0',
    },
    {
      rule: 'size(self.metadata.name) <= 63',
      message: 'the name must be at most 63 characters, as it is a label of what runs the release',
    },
  ],
  spec,
  status,
};
