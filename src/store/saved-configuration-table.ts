import {
  isForEverybody,
  isSameOwner,
  type SavedConfiguration,
  type SavedConfigurationBounds,
  type SavedConfigurationOwner,
  type SavedConfigurationTable,
} from '../domain/saved-configuration/saved-configuration.ts';

/** The part of a file that saved configurations are in. */
export interface SavedConfigurationData {
  readonly savedConfigurations: Record<string, SavedConfiguration>;
  /** What they were before, by id, the newest first. */
  readonly savedConfigurationVersions: Record<string, readonly SavedConfiguration[]>;
}

const MAX_VERSIONS = 5;

interface SavedConfigurationFile {
  readonly data: SavedConfigurationData;
  write(): Promise<void>;
}

/** The saved configurations of one machine. */
export function savedConfigurationsOf(low: SavedConfigurationFile): SavedConfigurationTable {
  const find = (id: string): SavedConfiguration | undefined =>
    Object.hasOwn(low.data.savedConfigurations, id) ? low.data.savedConfigurations[id] : undefined;
  return {
    get: async (id) => structuredClone(find(id)),
    listOf: async (owners) => {
      const theirs = Object.values(low.data.savedConfigurations).filter(({ owner }) => owners.some((one) => isSameOwner(one, owner)));
      return structuredClone(theirs.sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id)));
    },
    add: async (savedConfiguration, bounds) => {
      if (!hasRoom(low.data, savedConfiguration, bounds)) return 'full';
      put(low.data, savedConfiguration, bounds);
      await low.write();
      return 'added';
    },
    replace: async (savedConfiguration, { version, bounds }) => {
      const before = find(savedConfiguration.id);
      if (before?.version !== version) return 'stale';
      if (!hasRoom(low.data, savedConfiguration, bounds)) return 'full';
      low.data.savedConfigurationVersions[savedConfiguration.id] = [before, ...earlierOf(low.data, savedConfiguration.id)].slice(
        0,
        MAX_VERSIONS,
      );
      put(low.data, savedConfiguration, bounds);
      await low.write();
      return 'done';
    },
    earlierOf: async (id) => structuredClone(earlierOf(low.data, id)),
    delete: async (id, version) => {
      if (find(id)?.version !== version) return false;
      delete low.data.savedConfigurations[id];
      delete low.data.savedConfigurationVersions[id];
      await low.write();
      return true;
    },
  };
}

function earlierOf({ savedConfigurationVersions }: SavedConfigurationData, id: string): readonly SavedConfiguration[] {
  return Object.hasOwn(savedConfigurationVersions, id) ? (savedConfigurationVersions[id] ?? []) : [];
}

function hasRoom(
  { savedConfigurations }: SavedConfigurationData,
  savedConfiguration: SavedConfiguration,
  { count, characters, ofAuthor }: SavedConfigurationBounds,
): boolean {
  const others = Object.values(savedConfigurations).filter(
    ({ id, owner }) => id !== savedConfiguration.id && isSameOwner(owner, savedConfiguration.owner),
  );
  const fits = others.length < count && sizeOf([savedConfiguration, ...others]) <= characters;
  if (!fits || !isForEverybody(savedConfiguration.owner)) return fits;
  const own = others.filter(({ author }) => author === savedConfiguration.author);
  return own.length < ofAuthor.count && sizeOf([savedConfiguration, ...own]) <= ofAuthor.characters;
}

function put(data: SavedConfigurationData, savedConfiguration: SavedConfiguration, bounds: SavedConfigurationBounds): void {
  data.savedConfigurations[savedConfiguration.id] = structuredClone(savedConfiguration);
  forgetEarlier(data, savedConfiguration.owner, bounds);
}

function sizeOf(savedConfigurations: readonly SavedConfiguration[]): number {
  return savedConfigurations.reduce((sum, { values }) => sum + JSON.stringify(values).length, 0);
}

/** Forgets what saved configurations of an owner were before, the oldest first, until all of theirs is within the bounds. */
function forgetEarlier(data: SavedConfigurationData, owner: SavedConfigurationOwner, { characters }: SavedConfigurationBounds): void {
  const own = Object.values(data.savedConfigurations).filter((savedConfiguration) => isSameOwner(savedConfiguration.owner, owner));
  const earlier = own.flatMap(({ id }) => earlierOf(data, id)).toSorted((a, b) => b.updated.localeCompare(a.updated));
  let room = characters - sizeOf(own);
  const kept = new Set(
    earlier.filter((savedConfiguration) => {
      room -= sizeOf([savedConfiguration]);
      return room >= 0;
    }),
  );
  for (const { id } of own) {
    const left = earlierOf(data, id).filter((savedConfiguration) => kept.has(savedConfiguration));
    if (left.length === 0) delete data.savedConfigurationVersions[id];
    else data.savedConfigurationVersions[id] = left;
  }
}
