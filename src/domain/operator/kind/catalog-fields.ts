import { flag, foreign, list, map, object, optional, orEmpty, text, type ValueOf } from '../../kind/field.ts';
import { connectionField } from './connection-fields.ts';
import { healthRule } from './health-fields.ts';

const referable = object(
  {
    group: text({
      description: 'The group of the kind, for example samples.chandlery.dev. Empty for the kinds of Kubernetes itself, such as Secret.',
      default: '',
      maxLength: 253,
      pattern: String.raw`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$`,
    }),
    kind: text({ description: 'The kind, for example PostgresCluster.', maxLength: 63, pattern: '^[A-Z][A-Za-z0-9]*$' }),
  },
  {},
);

const preset = object(
  {
    name: text({ description: 'What links call it, for example small.', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' }),
    title: text({ description: 'What people call it.', minLength: 1, maxLength: 60 }),
    summary: orEmpty(text({ description: 'One sentence about when it is right.', maxLength: 300 })),
    values: foreign({ description: 'What it fills in, laid out like the resource itself, for example {spec{replicas 3}}.' }),
  },
  {},
);

/** What the catalogue knows of one App, whoever brings its kind. */
export const appMembers = {
  fields: orEmpty(
    list(text({ minLength: 1, maxLength: 500 }), {
      description: 'Dotted paths of the fields that the form shows first, in this order, for example spec.storage.size.',
      maxItems: 200,
    }),
  ),
  defaults: orEmpty(
    foreign({ description: 'What a new instance starts with, laid out like the resource itself, for example {spec{replicas 2}}.' }),
  ),
  locked: orEmpty(
    list(text({ minLength: 6, maxLength: 500, pattern: String.raw`^spec\.` }), {
      description:
        'Dotted paths of fields that people cannot set, for example spec.version: they have the value of defaults or of the kind itself. Fields of rows cannot be locked one by one, only the list as a whole.',
      maxItems: 200,
    }),
  ),
  sensitive: orEmpty(
    list(text({ minLength: 1, maxLength: 500 }), {
      description:
        'Paths of fields whose values are secrets though neither their schema nor their name says so, for example spec.license or spec.users[*].pin. They are masked wherever the instance is shown, with all that stands below them.',
      maxItems: 200,
    }),
  ),
  references: orEmpty(
    map(referable, {
      description:
        'What fields name, for forms that offer what there is to choose from: paths such as spec.databaseRef.name, or spec.databaseRef for a group that has a name, with the kind of the objects.',
      maxProperties: 50,
      rules: [
        {
          rule: "self.all(path, path.startsWith('spec.') && size(path) <= 500)",
          message: 'each key is the path of a field, for example spec.databaseRef.name',
        },
      ],
    }),
  ),
  presets: orEmpty(
    list(preset, {
      description: 'Values that belong together, such as small and production, which the form of a new instance offers.',
      maxItems: 12,
      merge: { by: 'name' },
    }),
  ),
  health: orEmpty(
    list(healthRule, {
      description:
        'Rules for the health of objects of this kind. The first one that matches gives the health; if none does, the built-in rules do.',
      maxItems: 20,
      merge: 'atomic',
    }),
  ),
  usage: orEmpty(text({ description: 'Markdown about how to use an instance, for example how to connect to it.', maxLength: 20000 })),
  connection: orEmpty(connectionField),
  example: optional(foreign({ description: 'A complete resource of the kind, as an example.' })),
} as const;

export const catalogKind = object(
  {
    kind: text({ description: 'The kind, for example PostgresCluster.', minLength: 1, maxLength: 63 }),
    definition: optional(
      text({
        description:
          "The name of its CustomResourceDefinition, for example postgresclusters.example.com. Needed only for a kind that the operator registers by itself without Helm's annotations; with it the kind becomes this Operator's, unless another one has brought it.",
        maxLength: 253,
        pattern: String.raw`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$`,
      }),
    ),
    hidden: flag({
      description:
        'Whether to leave this kind out of the catalogue and give nobody permissions on it, because only the operator itself creates it.',
      default: false,
    }),
    displayName: optional(text({ description: 'The name of the App for people. Defaults to the kind.', maxLength: 100 })),
    summary: optional(text({ description: 'One sentence about the App. Defaults to the summary of the Operator.', maxLength: 300 })),
    ...appMembers,
  },
  {},
);

/** What the catalogue shows of all Apps of one owner. */
export const entryMembers = {
  displayName: optional(text({ description: 'The name for people. Defaults to the name of the chart.', maxLength: 100 })),
  summary: optional(text({ description: 'One sentence about what it is for. Defaults to the description of the chart.', maxLength: 300 })),
  category: optional(text({ description: 'The category under which the catalogue lists it, for example Databases.', maxLength: 60 })),
  icon: optional(
    text({
      description: 'The address of an icon (https), or the icon itself as a data URL. Defaults to the icon of the chart.',
      maxLength: 65536,
      pattern: '^(https://|data:image/).+$',
    }),
  ),
  tags: orEmpty(
    list(text({ minLength: 1, maxLength: 40 }), {
      description: 'Words by which the catalogue can be filtered.',
      maxItems: 20,
      merge: 'set',
    }),
  ),
  provider: optional(text({ description: 'Who stands behind it, for example a team or a company.', maxLength: 100 })),
  docsURL: optional(text({ description: 'Where the documentation is (https).', maxLength: 2048, pattern: '^https://.+$' })),
  audience: orEmpty(
    list(text({ minLength: 1, maxLength: 253 }), {
      description:
        'The groups that see its kinds in the catalogue, named as the api-server sees them, for example oidc:team-a. Empty: everybody. What somebody may do is decided by their permissions, not by this list.',
      maxItems: 100,
      merge: 'set',
    }),
  ),
} as const;

export const catalogField = object(
  {
    ...entryMembers,
    kinds: orEmpty(
      list(catalogKind, {
        description:
          'What is particular to single kinds. Kinds that are not listed are shown with what their CustomResourceDefinition says.',
        maxItems: 100,
        merge: { by: 'kind' },
      }),
    ),
  },
  { description: 'How the catalogue shows the kinds of this Operator.' },
);

/** How the catalogue shows one kind of an Operator. */
export type CatalogKind = ValueOf<typeof catalogKind>;
/** Values that belong together, which the catalogue offers for the form of an App. */
export type Preset = ValueOf<typeof preset>;
