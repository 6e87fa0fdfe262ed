import { stringifyJson } from '../domain/core/exact-json.ts';
import { at, listAt, textAt, textsAt } from '../domain/core/read.ts';
import { sentenceOfFault, type FieldFault } from '../domain/core/errors.ts';
import { ANSWER_NO, type Result } from './client-command.ts';
import { colored, type Column, tableOf } from './output.ts';
import { oneLine } from '../domain/core/plain-text.ts';

const GROUPS = ['created', 'changed', 'removed', 'blocked', 'warned', 'unchecked'] as const;

/** The result of preflight checks; that something blocks, or could not be checked, is an answer of its own. */
export function preflightResult(preflight: unknown, names: readonly string[]): Result {
  const verdict = textAt(preflight, 'verdict') ?? '';
  return {
    data: preflight,
    names,
    code: verdict === 'Ready' ? 0 : ANSWER_NO,
    text: (style) => {
      const changes = listAt(preflight, 'changes');
      const blocked = listAt(preflight, 'findings', 'blocked').map((one) => textAt(one, 'message'));
      const sections = [
        ...(changes.length === 0 ? [] : [tableOf(CHANGE_COLUMNS, changes, style)]),
        ...findingSections(at(preflight, 'findings')),
        bullets('Objects of the release', listAt(preflight, 'objects', 'changes').map(objectText)),
        bullets('Images', listAt(preflight, 'images').map(imageText)),
        bullets(
          'Faults',
          listAt(preflight, 'faults')
            .map((fault) => sentenceOfFault(fault as FieldFault))
            .filter((sentence) => !blocked.includes(sentence)),
        ),
        bullets('Warnings', listAt(preflight, 'warnings').map(String)),
        bullets('Missing permissions', listAt(preflight, 'missing').map(permissionText)),
      ].filter((section) => section !== '');
      return [`${style.colors ? colored(verdict) : verdict}\n`, ...sections].join('\n');
    },
  };
}

/** Lines of findings by group, as preflights and upgrade previews have them. */
export function findingSections(findings: unknown): readonly string[] {
  return GROUPS.map((group) =>
    bullets(
      `${group.charAt(0).toUpperCase()}${group.slice(1)}`,
      listAt(findings, group).map((one) => `${textAt(one, 'message') ?? ''}${textAt(one, 'evidence') === 'estimate' ? ' (estimate)' : ''}`),
    ),
  ).filter((section) => section !== '');
}

/** A heading and lines below it; nothing without lines. */
export function bullets(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `  ${oneLine(line)}\n`).join('')}`;
}

function objectText(change: unknown): string {
  const restarts = at(change, 'restarts') === true ? ', its pods are replaced' : '';
  return `${textAt(change, 'kind') ?? ''} ${textAt(change, 'name') ?? ''} ${textAt(change, 'change') ?? ''}${restarts}`;
}

function imageText(image: unknown): string {
  return `${textAt(image, 'image') ?? ''} (${textsAt(image, 'usedBy').join(', ')})`;
}

function permissionText(permission: unknown): string {
  const [verb = '', resource = '', group = '', namespace = ''] = ['verb', 'resource', 'group', 'namespace'].map((key) =>
    textAt(permission, key),
  );
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${namespace === '' ? '' : ` in namespace ${namespace}`}`;
}

const CHANGE_COLUMNS: readonly Column<unknown>[] = [
  { title: 'FIELD', cell: (change) => textAt(change, 'path') ?? '' },
  { title: 'FROM', cell: (change) => valueText(at(change, 'from')) },
  { title: 'TO', cell: (change) => valueText(at(change, 'to')) },
  { title: 'SET BY', cell: (change) => textAt(change, 'layer') ?? '' },
];

function valueText(value: unknown): string {
  if (value === undefined) return '-';
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
