import { AppError } from '../core/errors.ts';

interface ChartWithCrds {
  readonly metadata: { readonly name: string };
  readonly crds: readonly { readonly metadata: { readonly name: string } }[];
}

/** @throws AppError `ChartInvalid` for a chart that brings kinds of its own, which is an Operator's to install. */
export function rejectCrds({ metadata, crds }: ChartWithCrds): void {
  const [first] = crds;
  if (first === undefined) return;
  const why = `it brings the CRD ${first.metadata.name}, which every instance would install; offer the chart by an Operator`;
  throw new AppError('ChartInvalid', `chart "${metadata.name}": ${why}`);
}
