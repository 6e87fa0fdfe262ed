import type { App } from '../../domain/app/app.ts';
import { isObject, listAt, objectAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';

/** The versions of the chart that an instance may have, newest first; empty for the kind of an Operator. */
export function offeredVersions({ status }: Pick<KubeObject, 'status'>): readonly string[] {
  return listAt(status, 'versions').flatMap((offered) => textAt(offered, 'version') ?? []);
}

/**
 * The App with the versions of its chart as a choice, first in its form: those that are offered, and the one that the instance asks for. Without a choice the App is as it
 * was.
 */
export function withVersionChoice<T extends Pick<App, 'schema' | 'fields'>>(app: T, instance: KubeObject): T {
  const own = textAt(instance.spec, 'version');
  const versions = [...new Set([...offeredVersions(instance), ...(own === undefined ? [] : [own])])];
  const [spec, properties] = [objectAt(app.schema, 'properties', 'spec'), objectAt(app.schema, 'properties')];
  const members = objectAt(spec, 'properties');
  const version = objectAt(members, 'version');
  if (offeredVersions(instance).length === 0 || !isObject(version)) return app;
  const schema = {
    ...app.schema,
    properties: { ...properties, spec: { ...spec, properties: { ...members, version: { ...version, enum: versions } } } },
  } as JsonObject;
  return {
    ...app,
    schema,
    fields: app.fields.length === 0 ? app.fields : ['spec.version', ...app.fields.filter((field) => field !== 'spec.version')],
  };
}
