import type { ChartInspection } from './inspection.ts';

/** An inspection as lines for people; programs take the JSON. */
export function describeInspection(inspection: ChartInspection): string {
  const { chart, kinds, objects, conversions, failedConversions, warnings, release } = inspection;
  const percent = Math.round((release.bytes / release.limitBytes) * 1000) / 10;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [
      `${chart.name} ${chart.version}`,
      [
        chart.description ?? 'no description',
        `app version ${chart.appVersion ?? 'not given'}; Kubernetes ${chart.kubeVersion ?? 'any'}`,
        `${chart.digest}, ${chart.packedBytes} bytes packed, ${chart.files} files`,
        ...(chart.signer === undefined ? [] : [`signed by ${chart.signer}`]),
        `release record: ${release.bytes} of ${release.limitBytes} bytes (${percent} %)`,
        ...chart.dependencies.map(({ name, version, repository }) => `depends on ${name} ${version} ${repository}`.trimEnd()),
      ],
    ],
    [
      count(kinds.length, 'kind'),
      kinds.map(({ kind, name, scope, versions, origin }) => `${kind}  ${name}  ${versions.join(', ')}  ${scope}  from ${ORIGINS[origin]}`),
    ],
    ['objects', [objects.map((object) => `${object.count} ${object.kind}`).join(', ') || 'none']],
    [
      count(conversions.length, 'conversion'),
      conversions.map(({ kind, name, from, to, note }) => `${kind} "${name}" from ${from} to ${to}${note === '' ? '' : ` (${note})`}`),
    ],
    [
      count(failedConversions.length, 'failedConversion'),
      failedConversions.map(({ kind, name, apiVersion, reason }) => `${kind} "${name}" of ${apiVersion}: ${reason}`),
    ],
    [count(warnings.length, 'warning'), warnings.map(({ code, where, message }) => `${code}  ${where}: ${message}`)],
  ];
  return `${sections.map(([title, lines]) => [title, ...lines.map((line) => `  ${printable(line)}`)].join('\n')).join('\n\n')}\n`;
}

const ORIGINS = { crds: 'crds/', template: 'a template', hook: 'a crd-install hook' } as const;

function count(number: number, word: string): string {
  return number === 0 ? `no ${word}s` : `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** A chart is foreign text: nothing in it may steer the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ').replaceAll(/\p{C}/gu, '�');
}
