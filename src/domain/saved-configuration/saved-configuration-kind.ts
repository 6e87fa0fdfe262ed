import { foreign, integer, list, object, optional, orEmpty, text, time, type ValueOf } from '../kind/field.ts';
import { AGE_COLUMN, type StaticKind } from '../kind/kind.ts';
import { SAVED_CONFIGURATION } from '../kubernetes/resource-types.ts';

export const MAX_TITLE_LENGTH = 100;
export const MAX_DESCRIPTION_LENGTH = 1_000;
/** Earlier versions of a saved configuration that are kept. */
export const MAX_EARLIER = 5;

const title = text({
  description: 'What people find it by, in one line.',
  minLength: 1,
  maxLength: MAX_TITLE_LENGTH,
  pattern: '^[^\\x00-\\x1F\\x7F-\\x9F]*$',
});
const description = orEmpty(text({ description: 'Plain text about it.', maxLength: MAX_DESCRIPTION_LENGTH }));
const values = orEmpty(
  foreign({
    description:
      'What goes under the spec of an instance. Not for secrets: Chandlery leaves them out, and everybody with access to the namespace can read them here.',
  }),
);
const otherFields = optional(
  foreign({ description: 'Fields beside the spec of the instance, laid out like the resource, such as labels under metadata.' }),
);

const earlier = object(
  {
    version: integer({ description: 'The version of the configuration.', minimum: 1, format: 'int64' }),
    title,
    description,
    values,
    otherFields,
    updated: time({ description: 'When this version was saved.' }),
  },
  {},
);

const spec = object(
  {
    app: text({
      description: 'The app, by the name of its CustomResourceDefinition, for example caches.samples.chandlery.dev.',
      minLength: 1,
      maxLength: 253,
    }),
    title,
    description,
    values,
    otherFields,
    author: optional(
      text({
        description: 'Who saved it first. An admission policy rejects any user but the one who creates the resource; it is immutable.',
        minLength: 1,
        maxLength: 512,
      }),
    ),
    priorVersions: optional(
      integer({
        description: 'Versions that it had before it became this resource. Its version is this number and metadata.generation.',
        minimum: 0,
        maximum: 1_000_000_000,
        format: 'int64',
      }),
    ),
    earlier: orEmpty(
      list(earlier, {
        description: 'What it was before, the newest first. Pages and REST keep it; kubectl does not have to.',
        maxItems: MAX_EARLIER,
        merge: 'atomic',
      }),
    ),
  },
  { description: 'The configuration.' },
);

export type SavedConfigurationSpec = ValueOf<typeof spec>;

export const SAVED_CONFIGURATION_KIND: StaticKind<SavedConfigurationSpec> = {
  type: SAVED_CONFIGURATION,
  shortNames: ['savedconfig'],
  description:
    'A SavedConfiguration keeps values of an app under a title. Whoever can read it in its namespace can start new instances from it.',
  columns: [
    { name: 'App', type: 'string', jsonPath: '.spec.app' },
    { name: 'Title', type: 'string', jsonPath: '.spec.title' },
    { name: 'Author', type: 'string', jsonPath: '.spec.author' },
    { name: 'Description', type: 'string', jsonPath: '.spec.description', priority: 1 },
    AGE_COLUMN,
  ],
  rules: [
    {
      rule: "self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",
      message: 'the name must be at most 63 characters without a dot',
    },
  ],
  spec,
};
