import { stringifyJson } from '../../domain/core/exact-json.ts';
import { manyLines, oneLine } from '../../domain/core/plain-text.ts';
import { manifestYaml } from '../../domain/instance/instance-commands.ts';
import type { DeclaredRelation } from '../../domain/kubeplus/crd-annotations.ts';
import type { ComposedNode, Composition, KindUsage, Manual, ManualOutput } from './describe-app.ts';
import type { Explanation, FieldFact } from './explain-app.ts';

/** The manual page of an App as people read it in a terminal; other people's text has no control characters in it. */
export function manualText(manual: Manual): string {
  const { app, kind, group, version, kindUsage } = manual;
  const facts = [
    ['Kind', `${kind} ${group}/${version}`],
    ['Category', manual.category],
    ['Provider', manual.provider],
    ['Version', manual.appVersion ?? ''],
    ['Documentation', manual.docsURL ?? ''],
    ['Status', manual.availability],
  ].filter(([, value]) => value !== '');
  return sections([
    ['NAME', `${app} - ${oneLine(manual.displayName)}${manual.summary === '' ? '' : `: ${oneLine(manual.summary)}`}`],
    ['FACTS', facts.map(([name = '', value = '']) => `${`${name}:`.padEnd(16)}${oneLine(value)}`).join('\n')],
    ['PRESETS', manual.presets.map(({ name, title }) => oneLine(`${name}: ${title}`)).join('\n')],
    ['USAGE', manyLines([manual.usage, usageText(kindUsage)].filter((text) => text !== '').join('\n\n'))],
    ['FIELDS', fieldLines(manual.fields)],
    ['OUTPUTS', manual.outputs.map(outputText).join('\n')],
    ['COMPOSITION', manual.composition.join(', ')],
    ['RELATIONS', manual.relations.map(relationText).join('\n')],
    ['FAULTS', manual.faults.map(({ annotation, message }) => oneLine(`${annotation}: ${message}`)).join('\n')],
    ['EXAMPLE', manual.example === undefined ? '' : manyLines(manifestYaml(manual.example))],
    ['COMMANDS', [`chandlery explain ${app}`, `chandlery composition ${app}`, `chandlery install ${app} NAME --dry-run`].join('\n')],
    ['README', manyLines(manual.readme)],
  ]);
}

export function usageText(usage: KindUsage | undefined): string {
  if (usage?.reason === undefined) return usage?.text ?? '';
  const { name = '', key = '' } = usage.configMap ?? {};
  return `The usage text is in the ConfigMap ${name}, key ${key}: ${usage.reason}.`;
}

function outputText({ name, source, from, description }: ManualOutput): string {
  const head = oneLine(`${name} <${source}> ${from}`);
  return description === '' ? head : `${head}\n    ${oneLine(description)}`;
}

/** How a relation is declared: `label app of Service is NAME`. */
export function relationText(relation: DeclaredRelation): string {
  const kinds = relation.kinds.join(', ');
  if (relation.by === 'Field') return `${relation.path} is the name of a ${kinds}`;
  const { before, after, match } = relation.value;
  const value = match === 'Contains' ? 'contains the name of the instance' : `is ${before}NAME${after}`;
  return `${relation.by.toLowerCase()} ${relation.key} of ${kinds} ${value}`;
}

/** A field as `kubectl explain` prints it, then the fields below it. */
export function explanationText(found: Explanation): string {
  const { app, kind, group, version, field, type, rules } = found;
  const all = found.required ? ['required', ...rules] : rules;
  const lines = [
    `APP:     ${app}`,
    `KIND:    ${kind} ${group}/${version}`,
    ...(field === '' ? [] : [`FIELD:   ${field} <${type}>`, `DEFAULT: ${oneLine(defaultText(found)) || '<none>'}`]),
    ...all.map((rule, index) => `${index === 0 ? 'RULES:  ' : '        '} ${oneLine(rule)}`),
  ];
  const rest = sections([
    ['DESCRIPTION:', manyLines(found.description)],
    ['FIELDS:', fieldLines(found.fields)],
  ]);
  return `${lines.join('\n')}\n${rest === '' ? '' : `\n${rest}`}`;
}

function fieldLines(fields: readonly FieldFact[]): string {
  return fields
    .map((fact) => {
      const notes = [
        ...(fact.required ? ['required'] : []),
        ...(fact.default === undefined ? [] : [`default ${defaultText(fact)}`]),
        ...fact.rules,
      ];
      const head = `${fact.field} <${fact.type}>${notes.length === 0 ? '' : ` ${notes.join(', ')}`}`;
      const [first = ''] = fact.description.split('\n');
      return first === '' ? oneLine(head) : `${oneLine(head)}\n    ${oneLine(first)}`;
    })
    .join('\n');
}

export function defaultText({ default: value }: FieldFact): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** The kinds that instances are composed of, and the tree of each that was read. */
export function compositionText(found: Composition): string {
  const { app, kind, group, version, resources, instances } = found;
  const kinds = resources.map(({ kind: name, apiVersion = '', declared, count }) => {
    const origin = declared ? (count === 0 ? 'declared, none found' : 'declared') : '';
    return [`${name}  ${apiVersion}`.trimEnd(), `×${count}`, origin].filter((text) => text !== '').join('  ');
  });
  const trees = instances.map(({ environment, name, status, root }) =>
    [`${environment}/${name}  ${status}`, ...root.children.flatMap((child) => nodeLines(child, 1))].join('\n'),
  );
  return sections([
    ['APP', `${app}\n${kind} ${group}/${version}`],
    ['RESOURCES', kinds.join('\n') || 'None is declared, and no instance was found.'],
    ['INSTANCES', trees.join('\n')],
    ['NOTES', notesOf(found).map(oneLine).join('\n')],
  ]);
}

function notesOf({ more, unreadable, faults }: Composition): readonly string[] {
  return [
    ...(more ? ['There are further instances that were not read.'] : []),
    ...(unreadable.length === 0 ? [] : [`You may not list ${unreadable.join(', ')}, so that some of the resources can be missing.`]),
    ...faults.map(({ annotation, message }) => `${annotation}: ${message}`),
  ];
}

function nodeLines({ kind, name, status, children }: ComposedNode, depth: number): readonly string[] {
  const line = oneLine(`${kind}/${name}${status === undefined ? '' : `  ${status}`}`);
  return [`${'  '.repeat(depth)}${line}`, ...children.flatMap((child) => nodeLines(child, depth + 1))];
}

function sections(parts: readonly (readonly [title: string, text: string])[]): string {
  const shown = parts.filter(([, text]) => text.trim() !== '');
  return shown.length === 0 ? '' : `${shown.map(([title, text]) => `${title}\n${indented(text.trimEnd())}`).join('\n\n')}\n`;
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
}
