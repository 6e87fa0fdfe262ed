import type { ChartVerification } from '../../domain/chart/chart-access.ts';
import type { RemoteContext } from '../fetch/remote.ts';

/** A chart that is here, and where it came from. */
export interface ChartToVerify {
  readonly address: string;
  /** `sha256:<hex>` of the packed bytes. */
  readonly digest: string;
  readonly name: string;
  readonly version: string;
}

export interface SignatureCheck {
  readonly chart: ChartToVerify;
  readonly verification: ChartVerification;
  readonly context: RemoteContext;
}

/** Who signed a chart, as a clause: `key 8F2C… (Ann <ann@example.com>)`. */
export type Signer = string;
