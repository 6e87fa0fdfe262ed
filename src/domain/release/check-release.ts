import semver from 'semver';
import { cycleThrough } from '../core/dependency-cycle.ts';
import { at, isObject, listAt, objectAt, textAt } from '../core/read.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes/resource.ts';
import { specOf } from '../kind/kind.ts';
import type { StructuralSchema } from '../kind/structural-schema.ts';
import { CATALOG_RELEASE_KIND, type ReleaseSpec } from './catalog-release.ts';
import type { ReleaseDocument, ReleaseFault, ValuePath } from './release-yaml.ts';

/** What the folder of a release says that its CatalogRelease must be. */
interface ExpectedRelease {
  readonly name: string;
  readonly version: string;
}

/** Reads the CatalogRelease of a folder as strictly as the api-server would, without one. */
export function checkRelease(
  document: ReleaseDocument,
  expected: ExpectedRelease,
): { readonly spec: ReleaseSpec } | { readonly faults: readonly ReleaseFault[] } {
  const { content, fault } = document;
  const found: ReleaseFault[] = [];
  const expect = (path: ValuePath, wanted: string): void => {
    const value = at(content, ...path);
    if (value !== wanted) found.push(fault(path, `${path.join('.')} is ${JSON.stringify(value) ?? 'missing'}; it must be ${wanted}`));
  };
  expect(['apiVersion'], apiVersionOf(CATALOG_RELEASE_KIND.type));
  expect(['kind'], CATALOG_RELEASE_KIND.type.kind);
  expect(['metadata', 'name'], expected.name);
  expect(['spec', 'version'], expected.version);
  if (semver.valid(expected.version) === null) found.push(fault(['spec', 'version'], 'spec.version is not a semantic version'));
  found.push(
    ...schemaFaults(CATALOG_RELEASE_KIND.spec.schema, at(content, 'spec'), ['spec']).map(([path, message]) => fault(path, message)),
  );
  if (found.length > 0) return { faults: found };
  const faults = [...rangeFaults(document), ...componentFaults(document)];
  if (
    textAt(content, 'spec', 'state') !== 'wip' &&
    at(content, 'spec', 'state') !== undefined &&
    textAt(content, 'spec', 'digest') === undefined
  ) {
    faults.push(fault(['spec', 'state'], 'spec.digest is required once the state is not wip; run chandlery release activate'));
  }
  return faults.length > 0 ? { faults } : { spec: specOf(CATALOG_RELEASE_KIND, content as unknown as KubeObject) };
}

type SchemaFault = readonly [ValuePath, string];

/** The part of the schema that can be told without CEL: types, unknown and missing members, choices and patterns. */
function schemaFaults(schema: StructuralSchema, value: unknown, path: ValuePath): SchemaFault[] {
  const where = path.join('.');
  switch (schema.type) {
    case 'object': {
      if (!isObject(value)) return [[path, `${where} must be a map`]];
      if (schema.properties === undefined) return [];
      const missing = (schema.required ?? []).filter((name) => value[name] === undefined);
      const members = Object.entries(value).flatMap(([name, member]): SchemaFault[] => {
        const known = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
        return known === undefined ? [[[...path, name], `${where}.${name} is not a field`]] : schemaFaults(known, member, [...path, name]);
      });
      return [...missing.map((name): SchemaFault => [path, `${where}.${name} is missing`]), ...members];
    }
    case 'array':
      if (!Array.isArray(value)) return [[path, `${where} must be a list`]];
      return value.flatMap((item, index) => schemaFaults(schema.items ?? {}, item, [...path, index]));
    case 'string': {
      if (typeof value !== 'string') return [[path, `${where} must be text; put it into quotes`]];
      if (schema.enum !== undefined && !schema.enum.includes(value)) return [[path, `${where} must be one of ${schema.enum.join(', ')}`]];
      if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) return [[path, `${where} must match ${schema.pattern}`]];
      return value.length > (schema.maxLength ?? Infinity) ? [[path, `${where} is longer than ${schema.maxLength ?? 0} characters`]] : [];
    }
    case 'boolean':
    case 'integer':
    case 'number':
    case undefined:
      return [];
    default:
      return schema.type satisfies never;
  }
}

function rangeFaults({ content, fault }: ReleaseDocument): ReleaseFault[] {
  return listAt(content, 'spec', 'upgradesFrom').flatMap((range, index) =>
    typeof range === 'string' && semver.validRange(range) !== null
      ? []
      : [fault(['spec', 'upgradesFrom', index], `${JSON.stringify(range)} is no version or range, such as >=20.0.0 <21.0.0`)],
  );
}

/** Names given twice, and dependencies that are unknown or go in a circle. */
function componentFaults({ content, fault }: ReleaseDocument): ReleaseFault[] {
  const components = listAt(content, 'spec', 'components').map((item) => objectAt(item));
  const names = components.map((item) => textAt(item, 'name') ?? '');
  const edges = new Map(components.map((item, index) => [names[index] ?? '', listAt(item, 'dependsOn').map(String)]));
  return components.flatMap((item, index) => {
    const at = ['spec', 'components', index];
    const name = names[index] ?? '';
    const faults: ReleaseFault[] = [];
    if (names.indexOf(name) < index) faults.push(fault([...at, 'name'], `the component ${name} is there twice; keep one`));
    listAt(item, 'dependsOn').forEach((needed, place) => {
      if (!names.includes(String(needed)))
        faults.push(fault([...at, 'dependsOn', place], `${String(needed)} is no component of this release`));
    });
    const cycle = cycleThrough(name, edges);
    if (cycle !== undefined) faults.push(fault([...at, 'dependsOn'], `dependencies go in a circle: ${cycle.join(' → ')}`));
    return faults;
  });
}
