import { compareSavedConfiguration, listComparableInstances } from '../operation/saved-configuration/compare-saved-configuration.ts';
import {
  listSavedConfigurationVersions,
  listSavedConfigurations,
  showSavedConfiguration,
} from '../operation/saved-configuration/list-saved-configurations.ts';
import type { Ports } from '../operation/ports.ts';
import {
  changeSavedConfiguration,
  deleteSavedConfiguration,
  saveConfiguration,
} from '../operation/saved-configuration/save-configuration.ts';
import type { SavedConfigurationOperations } from '../web/saved-configuration/saved-configuration-port.ts';

/** The operations on saved configurations, with their ports given. */
export function bindSavedConfigurations(ports: Ports): SavedConfigurationOperations {
  return {
    listSavedConfigurations: (actor, query) => listSavedConfigurations(ports, actor, query),
    showSavedConfiguration: (actor, id) => showSavedConfiguration(ports, actor, id),
    listSavedConfigurationVersions: (actor, id) => listSavedConfigurationVersions(ports, actor, id),
    compareSavedConfiguration: (actor, input) => compareSavedConfiguration(ports, actor, input),
    listComparableInstances: (actor, app) => listComparableInstances(ports, actor, app),
    saveConfiguration: (actor, draft) => saveConfiguration(ports, actor, draft),
    changeSavedConfiguration: (actor, change) => changeSavedConfiguration(ports, actor, change),
    deleteSavedConfiguration: (actor, input) => deleteSavedConfiguration(ports, actor, input),
  };
}
