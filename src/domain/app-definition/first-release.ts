/** The inputs for rendering a chart with its default values, outside of any instance. */
export const FIRST_RELEASE = {
  values: {},
  secrets: [],
  release: 'release-name',
  // A name that no chart has of itself, so that a fixed namespace is told from that of the release.
  namespace: 'namespace-of-release',
  action: 'install',
  legacyAPIs: 'Uplift',
  label: '',
  invalidValues: 'Render',
} as const;
