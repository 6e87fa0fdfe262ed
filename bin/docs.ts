import { readFileSync, writeFileSync } from 'node:fs';
import { ERROR_TABLE } from '../src/domain/core/error-table.ts';
import { APP_DEFINITION_KIND } from '../src/domain/app-definition/app-definition-kind.ts';
import { CHART_ARCHIVE_KIND } from '../src/domain/app-definition/uploaded-chart.ts';
import { APP_REVISION_KIND } from '../src/domain/app-definition/app-revision-kind.ts';
import { CHANGE_REQUEST_KIND } from '../src/domain/change-request/change-request-kind.ts';
import { ENVIRONMENT_KIND } from '../src/domain/environment/environment-kind.ts';
import { GITLAB_DEPLOYMENT_KIND } from '../src/domain/gitlab/gitlab-deployment.ts';
import { GITLAB_MONITORING_KIND } from '../src/domain/gitlab/gitlab-monitoring.ts';
import { RESOURCE_COMPOSITION_KIND } from '../src/domain/kubeplus/resource-composition.ts';
import { CATALOG_RELEASE_KIND } from '../src/domain/release/catalog-release.ts';
import { CATALOG_SOURCE_KIND } from '../src/domain/source/catalog-source.ts';
import { SAVED_CONFIGURATION_KIND } from '../src/domain/saved-configuration/saved-configuration-kind.ts';
import { OPERATOR_KIND } from '../src/domain/operator/kind/operator-kind.ts';
import { helpOf } from '../src/cli/command.ts';
import { COMMANDS } from '../src/compose/commands.ts';
import { crdFile, type DocumentedKind } from './docs/crd.ts';
import { fieldTable } from './docs/field-table.ts';

/** The kinds of ours and the pages that describe them. */
const KINDS: readonly { readonly kind: DocumentedKind; readonly page: string }[] = [
  { kind: APP_DEFINITION_KIND, page: 'docs/app-definition.md' },
  { kind: APP_REVISION_KIND, page: 'docs/app-revision.md' },
  { kind: CHART_ARCHIVE_KIND, page: 'docs/uploaded-charts.md' },
  { kind: CATALOG_RELEASE_KIND, page: 'docs/releases.md' },
  { kind: CATALOG_SOURCE_KIND, page: 'docs/catalog-source.md' },
  { kind: CHANGE_REQUEST_KIND, page: 'docs/change-requests.md' },
  { kind: ENVIRONMENT_KIND, page: 'docs/environment.md' },
  { kind: GITLAB_DEPLOYMENT_KIND, page: 'docs/gitlab-deployment.md' },
  { kind: GITLAB_MONITORING_KIND, page: 'docs/gitlab-monitoring.md' },
  { kind: OPERATOR_KIND, page: 'docs/operator.md' },
  { kind: RESOURCE_COMPOSITION_KIND, page: 'docs/resource-composition.md' },
  { kind: SAVED_CONFIGURATION_KIND, page: 'docs/saved-configurations.md' },
];

/** `npm run docs` writes these: each file that is made from the code, or a part of it, with its text as it has to be. */
export function generatedFiles(): { readonly path: string; readonly text: string }[] {
  return [
    { path: 'docs/errors.md', text: errorsPage() },
    { path: 'docs/cli.md', text: commandsPage() },
    ...KINDS.flatMap(({ kind, page }) => [
      { path: `charts/chandlery/crds/${kind.type.resource}.${kind.type.group}.yaml`, text: crdFile(kind) },
      { path: page, text: withTables(read(page), kind) },
    ]),
  ];
}

/** The sections come from the table of errors; what stands above them is written by hand. */
function errorsPage(): string {
  const heading = '\n## `';
  const [introduction = ''] = read('docs/errors.md').split(heading);
  const sections = Object.entries(ERROR_TABLE).map(
    ([code, { status, title, meaning, remedy }]) => `${heading}${code}\`\n\n**${status}, ${title}.** ${meaning}\n\nWhat to do: ${remedy}\n`,
  );
  return `${introduction.trimEnd()}\n${sections.join('')}`;
}

/** The help of each command, below what is written by hand. */
function commandsPage(): string {
  const [introduction = ''] = read('docs/cli.md').split('\n## Commands\n');
  const sections = COMMANDS.map((command) => `\n### ${command.name}\n\n\`\`\`text\n${helpOf(command)}\`\`\`\n`);
  return `${introduction.trimEnd()}\n\n## Commands\n${sections.join('')}`;
}

/** Fills the places of a page that stand between `<!-- fields of spec -->`, or `status`, and `<!-- end of fields -->`. */
function withTables(page: string, kind: DocumentedKind): string {
  return page.replace(
    /(<!-- fields of (spec|status) -->\n).*?(<!-- end of fields -->)/gs,
    (_, start: string, part: 'spec' | 'status', end: string) =>
      `${start}\n${fieldTable(part === 'spec' || !('status' in kind) ? kind.spec.schema : kind.status.schema)}\n\n${end}`,
  );
}

function read(path: string): string {
  return readFileSync(placeOf(path), 'utf8');
}

function placeOf(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

if (import.meta.main) for (const { path, text } of generatedFiles()) writeFileSync(placeOf(path), text);
