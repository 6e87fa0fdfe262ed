import type { SavedConfigurationTable } from '../../domain/saved-configuration/saved-configuration.ts';

/** What saved configurations need of the world. */
export interface SavedConfigurationPorts {
  readonly table: SavedConfigurationTable;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
