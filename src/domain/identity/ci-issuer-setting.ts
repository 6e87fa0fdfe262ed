import { bad } from '../setting/setting-values.ts';

const CI_PRESETS = ['gitlab', 'github', 'generic'] as const;

/** An issuer of CI jobs whose claims are read by a preset. */
export interface CiIssuerSetting {
  readonly preset: (typeof CI_PRESETS)[number];
  /** What stands before `ci:` in its names, without the colon; empty for the first issuer. */
  readonly prefix: string;
  readonly url: string;
}

/** A value of `--ci-issuer`. @throws AppError `ConfigInvalid`. */
export function ciIssuerOf(text: string): CiIssuerSetting {
  const [, name, prefix = '', url = ''] = /^([a-z]+)(?::([a-z][a-z0-9-]{0,30}))?=(https?:\/\/.+)$/.exec(text) ?? [];
  const preset = CI_PRESETS.find((one) => one === name);
  if (preset !== undefined && URL.canParse(url)) return { preset, prefix, url };
  const presets = CI_PRESETS.join(', ');
  throw bad('ci-issuer', `${JSON.stringify(text)} is not PRESET=URL or PRESET:PREFIX=URL, with a preset of ${presets}`);
}
