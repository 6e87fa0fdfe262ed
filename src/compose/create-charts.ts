export function createCharts(_input: object): { contents(digest: string): Promise<{ readonly readme: string } | undefined> } {
  return { contents: () => Promise.resolve(undefined) };
}
