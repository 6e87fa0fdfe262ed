import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import type { SavedConfiguration } from '../../domain/saved-configuration/saved-configuration.ts';
import type { SavedConfigurationComparison, ComparableInstance } from '../../operation/saved-configuration/compare-saved-configuration.ts';
import type { SavedConfigurationQuery } from '../../operation/saved-configuration/list-saved-configurations.ts';
import type {
  SavedConfigurationChange,
  SavedConfigurationDraft,
  SavedConfigurationResult,
} from '../../operation/saved-configuration/save-configuration.ts';

export type { ComparableInstance };

/** What pages need of saved configurations; those of the actor and of their groups, to everybody else there are none. */
export interface SavedConfigurationOperations {
  /** By title. */
  listSavedConfigurations(actor: Actor, query: SavedConfigurationQuery): Promise<readonly SavedConfiguration[]>;
  showSavedConfiguration(actor: Actor, id: string): Promise<SavedConfiguration>;
  /** What it was before its last changes, the newest first. */
  listSavedConfigurationVersions(actor: Actor, id: string): Promise<readonly SavedConfiguration[]>;
  /** With today's defaults, or with a live Instance. */
  compareSavedConfiguration(
    actor: Actor,
    input: { readonly id: string; readonly instance?: ComparableInstance },
  ): Promise<SavedConfigurationComparison>;
  /** The Instances of an App that the actor may read. */
  listComparableInstances(actor: Actor, app: string): Promise<readonly ComparableInstance[]>;
  saveConfiguration(actor: Actor, draft: SavedConfigurationDraft): Promise<SavedConfigurationResult>;
  /** `Conflict` when it is not of the version any more. */
  changeSavedConfiguration(actor: Actor, change: SavedConfigurationChange): Promise<SavedConfigurationResult>;
  deleteSavedConfiguration(actor: Actor, input: Pick<SavedConfigurationChange, 'id' | 'version'> & RequestOrigin): Promise<void>;
}
