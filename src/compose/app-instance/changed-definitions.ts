import type { KeySource } from '../../controller/controller.ts';
import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import { keyOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Reflector } from '../../kube/watch/reflector.ts';
import type { WatchedInstances } from './watch-instances.ts';

interface Known {
  readonly content: string;
  /** Keys of instances whose turn it is in a roll-out, and uids of those that the limits admit or refuse, the latter with a mark. */
  readonly decided: ReadonlySet<string>;
}

/**
 * The keys of the instances that a change of their AppDefinition matters to: all of them for another spec or chart, and else those whose turn in a roll-out has come, and those that its limits were decided for.
 * Its counts change each second while a roll-out runs, and are nothing to its instances.
 */
export function changedDefinitions(definitions: Pick<Reflector, 'get' | 'onChange'>, instances: WatchedInstances): KeySource {
  const seen = new Map<string, Known>();
  const keysFor = (name: string): readonly string[] => {
    const before = seen.get(name);
    const now = knownOf(definitions.get(name));
    seen.set(name, now);
    const isOther = before?.content !== now.content;
    return instances.keys(({ definition }, { metadata }) => {
      if (definition !== name) return false;
      const keys = [keyOf({ metadata }), metadata.uid ?? '', `refused ${metadata.uid ?? ''}`];
      return isOther || keys.some((key) => now.decided.has(key) && !before.decided.has(key));
    });
  };
  return { onChange: (listener) => definitions.onChange((name) => keysFor(name).forEach(listener)) };
}

function knownOf(definition: KubeObject | undefined): Known {
  if (definition === undefined) return { content: '', decided: new Set() };
  const { generation = 0, uid = '' } = definition.metadata;
  const { revision = '', rollout, limits } = parseAppDefinitionStatus(definition);
  const decided = [rollout?.admitted, limits?.admitted, limits?.refused.map((one) => `refused ${one}`)].flatMap((list) => list ?? []);
  return { content: JSON.stringify([uid, generation, revision]), decided: new Set(decided) };
}
