import type { CatalogCache, Clusters, Discovery } from '../domain/cluster.ts';

/** What the operations need of the world. */
export interface Ports {
  readonly clusters: Clusters;
  readonly discovery: Discovery;
  readonly catalog: CatalogCache;
  /** The README of a chart by its digest; empty when the chart has none or is not at hand. */
  readonly readme: (digest: string) => Promise<string>;
  /** Where people reach Chandlery, e.g. `https://catalogue.example.com`, for the commands that are shown. */
  readonly publicUrl: string;
}
