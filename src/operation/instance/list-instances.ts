import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { InstanceSummary } from '../../domain/instance/instance.ts';
import { kindKey } from '../../domain/tree/object-index.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { entriesFor } from '../app/find-app.ts';
import { type EnvironmentPorts, readEnvironment } from '../environment/read-environment.ts';
import { instanceSummary } from './find-instance.ts';

export interface InstanceList {
  readonly instances: readonly InstanceSummary[];
  /** Kinds that the actor may not list in this environment. */
  readonly unreadable: readonly string[];
  /** Kinds that nobody can list now. */
  readonly unavailable: readonly UnavailableKind[];
}

/** The Instances of an environment that the actor may read, by name, each with the health of its whole tree. */
export async function listInstances(ports: EnvironmentPorts, actor: Actor, name: string): Promise<InstanceList> {
  const reading = await readEnvironment(ports, actor, { environment: name });
  const { environment, objects, appHealth, missing, unavailable } = reading;
  const entries = entriesFor(ports, actor);
  const byKind = new Map(entries.map((entry) => [`${entry.summary.group}/${entry.summary.kind}`, entry]));
  const hidden = new Set(missing.map(({ group, resource }) => `${resource}.${group}`));
  return {
    instances: objects
      .flatMap((object) => {
        const entry = byKind.get(kindKey(object));
        return entry === undefined ? [] : [instanceSummary(entry, environment, { object, health: appHealth(object) })];
      })
      .sort((a, b) => a.name.localeCompare(b.name) || a.app.localeCompare(b.app)),
    unreadable: entries.filter(({ summary }) => hidden.has(summary.id)).map(({ summary }) => summary.kind),
    unavailable: unavailable.filter((kind) => byKind.has(kindKey(kind))),
  };
}
