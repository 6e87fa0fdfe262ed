import { listInShort } from '../core/name-words.ts';
import { stringify } from 'yaml';
import type { AccessTarget, MissingAccess } from './release-permissions.ts';

const MAX_NAMES = 5;

/** `may not create deployments.apps in the namespace a, so it cannot install Deployment a/b` */
export function missingAccessSentence({ target, verbs, objects, use }: MissingAccess): string {
  const names = listInShort(objects, MAX_NAMES);
  const what = use === 'Grant' ? `${names}, which ${objects.length === 1 ? 'grants' : 'grant'} it` : names;
  return `may not ${verbs.join(', ')} ${targetText(target)}, so it cannot install ${what}`;
}

function targetText(target: AccessTarget): string {
  if ('path' in target) return target.path;
  const { group, resource, name, namespace } = target;
  const type = group === '' ? resource : `${resource}.${group}`;
  return [
    type,
    ...(name === undefined ? [] : [JSON.stringify(name)]),
    ...(namespace === undefined ? [] : [`in the namespace ${namespace}`]),
  ].join(' ');
}

/** What to add to the values of Chandlery's chart, in a line: `rbac.operators.rules: [{apiGroups: [apps], resources: [deployments], verbs: [get]}]`. */
export function valuesToAdd(missing: readonly MissingAccess[]): string {
  const of = (setting: MissingAccess['setting']): MissingAccess[] => missing.filter((one) => one.setting === setting);
  const resources = (setting: MissingAccess['setting']) => of(setting).flatMap(({ target }) => ('path' in target ? [] : [target]));
  const lists = {
    rules: ruleList(of('rules')),
    apiGroups: [...new Set(resources('apiGroups').map(({ group }) => group))],
    namespaces: [...new Set(resources('namespaces').map(({ namespace = '' }) => namespace))],
  };
  const parts = Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [] : [`rbac.operators.${name}: ${flow(list)}`]));
  return parts.join(' and ');
}

/** Rules of RBAC, one for all targets with the same verbs. */
function ruleList(missing: readonly MissingAccess[]): object[] {
  const rules = new Map<string, { readonly [field: string]: readonly string[] }>();
  const add = (field: string, value: string, rest: { readonly [field: string]: readonly string[] }): void => {
    const key = JSON.stringify([field, rest]);
    const known = rules.get(key)?.[field] ?? [];
    // The verbs come last, as people write them.
    const { verbs = [], ...place } = rest;
    rules.set(key, { ...place, [field]: [...new Set([...known, value])], verbs });
  };
  for (const { target, verbs } of missing) {
    if ('path' in target) add('nonResourceURLs', target.path, { verbs });
    else
      add('resources', target.resource, {
        apiGroups: [target.group],
        ...(target.name === undefined ? {} : { resourceNames: [target.name] }),
        verbs,
      });
  }
  return [...rules.values()];
}

function flow(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim();
}
