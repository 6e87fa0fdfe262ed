import { createHash } from 'node:crypto';
import { dataText, oneLine } from '../../cli/output.ts';
import type { SourceFault } from '../../domain/source/catalog-source.ts';

/** How faults are printed: lines as compilers do, JSON, annotations of GitHub Actions, a code quality report of GitLab. */
export const FAULT_FORMATS = ['lines', 'json', 'github', 'gitlab'] as const;

export interface FolderReport {
  readonly revision: string;
  readonly files: number;
  readonly resources: number;
  readonly faults: readonly SourceFault[];
  readonly unchecked: readonly string[];
}

export function faultsText(format: (typeof FAULT_FORMATS)[number], report: FolderReport): string {
  switch (format) {
    case 'lines':
      return `${report.faults.map(lineOf).join('')}${sumOf(report)}\n`;
    case 'json':
      return dataText(report, 'json');
    case 'github':
      return report.faults.map(annotationOf).join('');
    case 'gitlab':
      return dataText(report.faults.map(findingOf), 'json');
    default:
      return format satisfies never;
  }
}

function lineOf({ file, line, column, message }: SourceFault): string {
  return `${file}${line === 0 ? '' : `:${line}:${column}`}: ${oneLine(message)}\n`;
}

function sumOf({ files, resources, faults }: FolderReport): string {
  const words = ([count, one]: readonly [number, string]): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  return (
    [
      [files, 'file'],
      [resources, 'resource'],
      [faults.length, 'fault'],
    ] as const
  )
    .map(words)
    .join(', ');
}

/** A workflow command: https://docs.github.com/actions/reference/workflow-commands */
function annotationOf({ file, line, column, message }: SourceFault): string {
  const data = oneLine(message).replaceAll('%', '%25');
  const name = oneLine(file).replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::error file=${name}${line === 0 ? '' : `,line=${line},col=${column}`}::${data}\n`;
}

/** https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format */
function findingOf({ file, line, message }: SourceFault): object {
  return {
    description: oneLine(message),
    check_name: 'chandlery-validate',
    fingerprint: createHash('sha256')
      .update(JSON.stringify([file, message]))
      .digest('hex'),
    severity: 'major',
    location: { path: file, lines: { begin: Math.max(1, line) } },
  };
}
