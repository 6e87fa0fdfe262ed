import { generatedKind, isAppInstance } from '../app-instance/instance.ts';
import { at, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import { appMembers } from '../operator/kind/catalog-fields.ts';
import { type KindHealthRule, kindHealthField } from '../operator/kind/health-fields.ts';
import { releaseOfOperator } from '../operator/operator-move.ts';
import { compileFaults, type KindRules, ruleField, type RuleFault, rulesByKind } from './custom-rules.ts';

/** Which rules of people are about an object, the first list first. */
export interface RuleTable {
  rulesFor(object: KubeObject): readonly KindRules[];
}

/** Rules by `group/Kind` alone. */
export function tableOfKinds(rules: ReadonlyMap<string, KindRules>): RuleTable {
  return { rulesFor: (object) => [rules.get(groupKind(object)) ?? []].flat() };
}

/** The resources that have rules. */
export interface RuleOwners {
  readonly environments: readonly KubeObject[];
  readonly appDefinitions: readonly KubeObject[];
  readonly operators: readonly KubeObject[];
  readonly crds: readonly KubeObject[];
}

/**
 * The rules of all owners: those of the Environment of the namespace come first, then those of the AppDefinition or Operator whose release has the object, then those that
 * the catalogue has for the kind.
 */
export function ruleTable({ environments, appDefinitions, operators, crds }: RuleOwners): RuleTable {
  const byNamespace = byKey(environments, (one) => textAt(one.spec, 'namespace') ?? one.metadata.name);
  const byRelease = byKey(operators, releaseOfOperator);
  const kinds = byKind(appDefinitions, crds);
  const ofKinds = new Map([...rulesByKind(operators, crds), ...kinds.catalog]);
  return {
    rulesFor: (object) => {
      // Messages of rules are shown to people who may not read Secrets.
      if (groupKind(object) === '/Secret') return [];
      const owners = [
        byNamespace.get(object.metadata.namespace ?? ''),
        kinds.releases.get(singularOf(object)),
        byRelease.get(releaseOf(object)),
      ];
      return [...owners.flatMap((lists) => lists?.(object) ?? []), ofKinds.get(groupKind(object)) ?? []].flat();
    },
  };
}

type RuleLists = (object: KubeObject) => KindRules | undefined;

function byKey(owners: readonly KubeObject[], keyOf: (owner: KubeObject) => string | undefined): ReadonlyMap<string, RuleLists> {
  const pairs = owners.flatMap((owner) => {
    const lists = ruleListsOf(owner);
    const key = lists === undefined ? undefined : keyOf(owner);
    return lists === undefined || key === undefined ? [] : [[key, lists] as const];
  });
  return new Map(pairs);
}

interface KindsOfDefinitions {
  /** By the singular name of the kind, with which the releases of its instances begin. */
  readonly releases: ReadonlyMap<string, RuleLists>;
  /** By `group/Kind`. */
  readonly catalog: ReadonlyMap<string, KindRules>;
}

function byKind(definitions: readonly KubeObject[], crds: readonly KubeObject[]): KindsOfDefinitions {
  const owners = new Map(definitions.map((one) => [one.metadata.name, { lists: ruleListsOf(one), catalog: catalogRulesOf(one) }]));
  const [releases, catalog] = [new Map<string, RuleLists>(), new Map<string, KindRules>()];
  if (![...owners.values()].some(({ lists, catalog: own }) => lists !== undefined || own !== undefined)) return { releases, catalog };
  for (const kind of crds.flatMap((crd) => generatedKind(crd) ?? [])) {
    const owner = owners.get(kind.definition);
    if (owner?.lists !== undefined) releases.set(kind.singular, owner.lists);
    if (owner?.catalog !== undefined) catalog.set(`${kind.group}/${kind.kind}`, owner.catalog);
  }
  return { releases, catalog };
}

/** An owner that was read never changes in place. */
const known = new WeakMap<KubeObject, RuleLists | 'None'>();
const field = kindHealthField('');

/** `spec.health` of an owner, as the rules for an object; undefined where it has none. */
function ruleListsOf(owner: KubeObject): RuleLists | undefined {
  const before = known.get(owner) ?? listsOf(owner);
  known.set(owner, before);
  return before === 'None' ? undefined : before;
}

function listsOf(owner: KubeObject): RuleLists | 'None' {
  const rules = specRulesOf(owner);
  if (rules.length === 0) return 'None';
  const lists = new Map<string, KindRules | undefined>();
  return (object) => {
    const kind = groupKind(object);
    if (!lists.has(kind)) lists.set(kind, rulesAbout(owner, rules, kind));
    return lists.get(kind);
  };
}

function specRulesOf(owner: KubeObject): readonly KindHealthRule[] {
  return field.read(at(owner.spec, 'health')) ?? [];
}

function rulesAbout(owner: KubeObject, rules: readonly KindHealthRule[], groupAndKind: string): KindRules | undefined {
  const [group = '', kind = ''] = groupAndKind.split('/');
  const about = rules.flatMap((rule, position) => (rule.kind === kind || rule.kind === `${kind}.${group}` ? [{ rule, position }] : []));
  if (about.length === 0) return undefined;
  return {
    owner: ownerName(owner),
    field: 'spec.health',
    rules: about.map(({ rule }) => rule),
    positions: about.map(({ position }) => position),
  };
}

/** `spec.catalog.health` of an AppDefinition, which is about its own kind. */
function catalogRulesOf(definition: KubeObject): KindRules | undefined {
  const rules = appMembers.health.read(at(definition.spec, 'catalog', 'health')) ?? [];
  return rules.length === 0 ? undefined : { owner: ownerName(definition), field: 'spec.catalog.health', rules };
}

/** `Operator chandlery-system/queues`, `Environment team-a`. */
export function ownerName({ kind, metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** How many rules a resource has, those that an Operator has for the kinds of its catalogue aside. */
export function ruleCountOf(owner: KubeObject): number {
  return listsOfOwner(owner).reduce((sum, { rules }) => sum + rules.length, 0);
}

function listsOfOwner(owner: KubeObject): readonly Pick<KindRules, 'field' | 'rules'>[] {
  return [{ field: 'spec.health', rules: specRulesOf(owner) }, ...[catalogRulesOf(owner) ?? []].flat()];
}

/** The rules of a resource that do not compile, each with its place: `spec.health[0].when`. */
export function ruleFaultsOf(owner: KubeObject): readonly { readonly field: string; readonly message: string }[] {
  return listsOfOwner(owner).flatMap((list) =>
    compileFaults(list.rules).map(({ index, member, message }: RuleFault) => ({ field: `${ruleField(list, index)}.${member}`, message })),
  );
}

function groupKind({ apiVersion, kind }: KubeObject): string {
  return `${parseApiVersion(apiVersion).group}/${kind}`;
}

/** The Helm release that an object is of, as `namespace/name`. */
function releaseOf({ metadata: { annotations = {} } }: KubeObject): string {
  return `${annotations['meta.helm.sh/release-namespace'] ?? ''}/${annotations['meta.helm.sh/release-name'] ?? ''}`;
}

/** The singular name of the kind whose instance has the object in its release: names of such releases begin with it, and a dash. */
function singularOf(object: KubeObject): string {
  return isAppInstance(object) ? '' : (object.metadata.annotations?.['meta.helm.sh/release-name']?.split('-')[0] ?? '');
}
