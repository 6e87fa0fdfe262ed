import type { Secret } from '../core/secret.ts';
import { AppError } from '../core/errors.ts';

/** What a source of charts is asked with, and what its charts must be signed by. */
export interface ChartAccess {
  readonly credentials?: ChartCredentials;
  readonly verification?: ChartVerification;
}

/** The credentials for a source of charts, as a Secret holds them. */
export interface ChartCredentials {
  /** `Secret "namespace/name"`, for sentences. */
  readonly source: string;
  /** Another text whenever the Secret is another; tells nothing of what it holds. */
  readonly revision: string;
  readonly login?: ChartLogin;
  /** Certificate authorities in PEM, trusted for this source besides all others. */
  readonly authorities: readonly string[];
  /** Who we are in TLS: certificate and private key in PEM. */
  readonly identity?: { readonly certificate: string; readonly key: Secret };
  /** Who gets login and identity: the origin of the repository, or also the addresses that its index names. */
  readonly reach: 'OwnOrigin' | 'ListedAddresses';
  /** The origin (`https://host[:port]`) of a token server elsewhere that user and password may be sent to. */
  readonly tokenServer?: string;
}

export interface ChartLogin {
  readonly scheme: 'Basic' | 'Bearer';
  /** The value of the header `Authorization`. */
  readonly authorization: Secret;
}

export const VERIFY_PROVIDERS = ['Provenance', 'Cosign'] as const;
/** The kind of a signature: the `.prov` file of Helm (OpenPGP), or a signature of cosign beside the chart in its registry. */
export type VerifyProvider = (typeof VERIFY_PROVIDERS)[number];

/** The policy that a chart must be signed, and by whom. */
export interface ChartVerification {
  readonly provider: VerifyProvider;
  /** `Secret "namespace/name"`, for sentences. */
  readonly source: string;
  /** Public keys, by the keys of the Secret: OpenPGP keyrings, binary or armored; or PEM. */
  readonly keys: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Of the provider and the keys: the same digest is the same policy. */
  readonly digest: string;
}

/** A fault of a Secret that a chart needs. `source` is `Secret "namespace/name"`; `why` quotes nothing of what is in it. */
export function chartSecretInvalid(source: string, why: string): AppError {
  return new AppError('ChartSecretInvalid', `chart: ${source}: ${why}`);
}
