import { SOURCE_STATES, type SourceState, type SourceView } from './source-view.ts';

/** A filter of the list of sources. */
export interface SourceFilter {
  /** Words that the name, origin or message must contain; empty matches all. */
  readonly search: string;
  /** Empty matches all. */
  readonly state: readonly SourceState[];
}

export interface SourceList {
  readonly sources: readonly SourceView[];
  /** Before the filter. */
  readonly total: number;
  readonly states: Readonly<Record<SourceState, number>>;
}

/** The sources that match; the counts are over those that match the search. */
export function filterSources(all: readonly SourceView[], { search, state }: SourceFilter): SourceList {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = all.filter((source) => {
    const { origin } = source;
    const text = [source.name, source.message, origin.path, ...(origin.kind !== 'Folder' ? [origin.url, origin.ref] : [])]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const states = Object.fromEntries(SOURCE_STATES.map((one) => [one, found.filter((source) => source.state === one).length]));
  return {
    sources: found.filter((source) => state.length === 0 || state.includes(source.state)),
    total: all.length,
    states: states as Record<SourceState, number>,
  };
}
