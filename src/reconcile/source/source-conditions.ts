import type { SourceFault } from '../../domain/source/catalog-source.ts';
import type { ConditionInput } from '../../domain/kubernetes/condition.ts';

/** How an attempt to bring a folder in step ended. */
export type SourceOutcome =
  | { readonly kind: 'InStep'; readonly resources: number; readonly files: number }
  | { readonly kind: 'Faulty'; readonly faults: readonly SourceFault[] }
  | { readonly kind: 'Refused'; readonly reason: string; readonly fault: SourceFault };

/** The conditions of a CatalogSource. A fault waits for a person, so the source is stalled until then. */
export function sourceConditions(outcome: SourceOutcome): ConditionInput[] {
  switch (outcome.kind) {
    case 'InStep': {
      const message = `${count(outcome.resources, 'resource')} of ${count(outcome.files, 'file')} ${outcome.resources === 1 ? 'is' : 'are'} live`;
      return [{ type: 'Ready', status: 'True', reason: 'InStep', message }];
    }
    case 'Faulty':
      return stalled('Faulty', faultySentence(outcome.faults));
    case 'Refused':
      return stalled(outcome.reason, outcome.fault.message);
    default:
      return outcome satisfies never;
  }
}

function faultySentence(faults: readonly SourceFault[]): string {
  const [first] = faults;
  const place = first === undefined ? '' : [first.file, ...(first.line === 0 ? [] : [first.line])].join(':');
  const more = faults.length > 1 ? `; ${count(faults.length - 1, 'more fault')} in status.faults` : '';
  return `${place}: ${first?.message ?? ''}${more}; everything else is live`;
}

function stalled(reason: string, message: string): ConditionInput[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
