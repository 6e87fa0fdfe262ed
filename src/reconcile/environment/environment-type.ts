import { OURS } from '../../domain/kubernetes/names.ts';

/** On an Environment: "true" lets it take over a namespace that exists and that no Environment owns. */
export const ADOPT_ANNOTATION = `${OURS.group}/adopt-namespace`;

/** On a namespace: the uid of the Environment that it was reserved for. */
export const ENVIRONMENT_UID_ANNOTATION = `${OURS.group}/environment-uid`;
/** On a namespace: its own uid when it was reserved, so that a label which was copied to another namespace reserves nothing. */
export const NAMESPACE_UID_ANNOTATION = `${OURS.group}/namespace-uid`;

/** The service account that earlier versions made in each environment. */
export const DEPLOYER = 'chandlery-deployer';
