import type { CliClient } from '../../domain/kubectl/cli-client.ts';
import type { ClusterAddress, ExpectedClaim } from '../../domain/kubectl/kubeconfig.ts';

/** What kubectl of people needs, by the settings. */
export interface KubectlPorts {
  /** Where they reach the api-server, or why they do not. */
  readonly cluster: ClusterAddress | { readonly unavailable: string };
  /** As whom they sign in there, or why they cannot. */
  readonly client: CliClient | { readonly unavailable: string };
  /** How the command line is called on the machines of people. */
  readonly program: readonly string[];
  /** The host of Chandlery, which names the entries of kubeconfigs. */
  readonly host: string;
  /** What the tokens of a person have; undefined where an expression makes the names. */
  readonly expectedClaim: (user: string) => ExpectedClaim | undefined;
}
