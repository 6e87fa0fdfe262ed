import { specVersionOf, type InstanceView } from '../../src/domain/instance/instance.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { InstanceMigration } from '../../src/operation/instance/preview-migration.ts';
import { previewMigration } from '../../src/form/migration/migration.ts';

const text = { type: 'string' };

const FROM: JsonObject = {
  type: 'object',
  properties: {
    instances: { type: 'integer', default: 1 },
    storage: { type: 'object', properties: { size: text } },
    storageClass: text,
    legacy: text,
    password: text,
    maintenance: { type: 'string', default: 'sunday' },
  },
};

const TO: JsonObject = {
  type: 'object',
  required: ['region'],
  properties: {
    instances: { type: 'string' },
    storage: { type: 'object', properties: { size: { type: 'string', maxLength: 3 } } },
    storageClassName: text,
    region: text,
    maintenance: { type: 'string', default: 'monday' },
    extra: text,
  },
};

/** What moving a sample instance to `v2` asks: a row of every kind. */
export function sampleMigration({ object, etag }: InstanceView): InstanceMigration {
  const values = { ...(object.spec as JsonObject), storageClass: 'fast', legacy: 'x', password: 'hunter2' };
  return {
    ...previewMigration({ from: FROM, to: TO, values, root: 'spec' }),
    version: 'v2',
    from: 'v1',
    versions: ['v1', 'v2'],
    etag,
    specVersion: specVersionOf(object),
    values,
  };
}
