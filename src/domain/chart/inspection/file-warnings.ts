import type { ChartWarning } from './inspection.ts';

export interface ChartText {
  readonly hasSchema: boolean;
  readonly readme: string;
  readonly description: string;
  /** The text of the files in `templates/`, by name. */
  readonly templates: ReadonlyMap<string, string>;
}

const RANDOM =
  /\b(randAlphaNum|randAlpha|randAscii|randNumeric|randBytes|genCA|genSelfSignedCert|genSignedCert|genPrivateKey|uuidv4|htpasswd|now)\b/;
const LOOKUP = /\blookup\s+("|\$|\(|\.)/;
const ACTION = /\{\{-?(?!-?\s*\/\*)[\s\S]*?\}\}/g;

/** What the files of a chart give rise to, before anything is rendered. */
export function fileWarnings({ hasSchema, readme, description, templates }: ChartText): ChartWarning[] {
  const warnings: ChartWarning[] = [];
  if (!hasSchema) {
    const message = 'there is no values.schema.json, so values are not validated before rendering, and forms are inferred from values.yaml';
    warnings.push({ code: 'NoSchema', where: 'chart', message });
  }
  if (readme.trim() === '') warnings.push({ code: 'NoReadme', where: 'chart', message: 'there is no README.md for the page of the app' });
  if (description === '')
    warnings.push({ code: 'NoDescription', where: 'Chart.yaml', message: 'there is no description for the card of the app' });
  for (const [where, text] of templates) warnings.push(...templateWarnings(where, text));
  return warnings;
}

function templateWarnings(where: string, text: string): ChartWarning[] {
  const actions = (text.match(ACTION) ?? []).join('\n');
  const random = RANDOM.exec(actions)?.[1];
  const warnings: ChartWarning[] = [];
  if (random !== undefined) {
    const message = `it calls ${random}, so each rendering may differ; make sure that an upgrade keeps the generated values`;
    warnings.push({ code: 'RandomValues', where, message });
  }
  if (LOOKUP.test(actions)) {
    warnings.push({
      code: 'ClusterLookup',
      where,
      message: 'it calls lookup, so the rendering here may differ from the installed objects',
    });
  }
  return warnings;
}
