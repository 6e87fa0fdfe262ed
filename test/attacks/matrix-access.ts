/**
 * Who may reach what. `Everybody` is signed in, a `Person` is no CI job; a `Viewer` is a member of the environment, and a developer and a maintainer are viewers, too; `ViewerOrAdmin`:
 * admins see every Environment, but what runs in it only as members. `Nobody`: there is none here, so everybody gets the same answer.
 */
export type Access = 'Public' | 'Nobody' | 'Everybody' | 'Person' | 'Viewer' | 'ViewerOrAdmin' | 'Developer' | 'Admin';

/** The routes of the REST API by operationId. Each is here, once. */
export const ROUTE_ACCESS: Readonly<Record<Exclude<Access, 'Public'>, string>> = {
  // The sample apps have no masked value to reveal, only registration tokens register, no instance was deleted, and no source has an earlier revision.
  Nobody: `
    showProposal revealValue registerEnvironment restoreInstance previewSourceRollback proposeSourceRollback
  `,
  Everybody: `
    showMe showKubeconfig showCiContext listPermissions listAccessTokens listApps showApp showForm showManual explainApp
    showComposition showTierBoard listEnvironments listProposals
    listChangeRequests listSavedConfigurations saveConfiguration showSavedConfiguration changeSavedConfiguration
    deleteSavedConfiguration listSavedConfigurationVersions compareSavedConfiguration
  `,
  Person: `
    createAccessToken revokeAccessToken
  `,
  ViewerOrAdmin: `
    showEnvironment showEnvironmentOwner showEnvironmentStatus listEnvironmentResources listEnvironmentWorkloads
    showTimeline listChoices listInstances showEnvironmentMetrics listMembers listDeployments listDeletedInstances
  `,
  Viewer: `
    showResource showResourceLogs showInstance showInstanceSleep showInstanceTimeline showTree showOwner listWorkloads listEvents
    showLogs showConnection previewInstanceMigration listRevisions listReleaseRevisions showReleaseRevision createChangeRequest showChangeRequest withdrawChangeRequest
  `,
  Developer: `
    createInstance updateInstance replaceInstance rollbackInstance testInstance reinstallInstance forgetRelease sleepInstance wakeInstance copyInstance promoteInstance deleteInstance revealConnectionKey restartWorkload showScale
    scaleResource runCronJob suspendCronJob resumeCronJob evictPod reportDeployment approveChangeRequest declineChangeRequest
  `,
  Admin: `
    listFaults listDrafts listAuditEvents createEnvironment updateEnvironment replaceEnvironment deleteEnvironment
    listOperators createOperator showOperator showOperatorTree showReleaseNotes showOperatorOwner showOperatorLogs
    listOperatorEvents listOperatorInstances listOperatorProblems previewOperatorDeletion deleteOperator
    reconcileOperator forceOperator suspendOperator resumeOperator showOperatorMetrics previewUpgrade
    previewUpgradeWithValues approveUpgrade listReleases showRelease previewRelease listSources createSource showSource
    listSourceInventory previewSource syncSource showSourceSuspension suspendSource resumeSource approvePrune confirmOrigin keepResource
    keepOperator keepAppDefinition keepEnvironment keepSource
    previewSourceDeletion deleteSource reviewAccess listAppDefinitions createAppDefinition showAppDefinition
    previewChart listUploadedCharts uploadChart showUploadedChart deleteUploadedChart listAllAccessTokens revokeAnyAccessToken
    listRegistrationTokens createRegistrationToken rotateRegistrationToken revokeRegistrationToken
  `,
};

/** The pages by address, the first row that matches counts; a form that writes needs what its REST route needs. */
export const PAGE_ACCESS: readonly (readonly [RegExp, Access])[] = [
  [/^GET \/$/, 'Public'],
  // No source has an earlier revision.
  [/^(GET|POST) \/sources\/:name\/rollback/, 'Nobody'],
  [/^GET \/(apps|environments|change-requests|proposals|tier-board)(\/:app(\/(install|reference|saved-configurations))?)?$/, 'Everybody'],
  [/^GET \/apps\/:app\/saved-configurations\/:id/, 'Everybody'],
  [/^GET \/operators\/new$/, 'Everybody'],
  // The empty form does not need the permission; fetching a chart does.
  [/^GET \/admin\/app-definitions\/new$/, 'Everybody'],
  // The answer needs the permission, the empty form does not.
  [/^GET \/(account\/(permissions|tokens|kubectl|kubeconfig)|admin\/access-review)$/, 'Everybody'],
  [/^(POST \/account\/tokens(\/:id\/revocation)?|GET \/account\/tokens\/:id\/revocation)$/, 'Person'],
  [/^GET \/environments\/:environment(\/(resources|workloads)(\/stream)?|\/timeline|\/monitoring|\/members)?$/, 'ViewerOrAdmin'],
  [/^GET \/environments\/:environment\/instances\/:app\/:name\/edit$/, 'Developer'],
  [/^GET \/environments\/:environment\/(instances|resources)\//, 'Viewer'],
  [/^GET \/change-requests\/:id$/, 'Viewer'],
  [/ \/(operators|sources|releases|catalog|admin)(\/|$)/, 'Admin'],
  // Members see which permission they lack.
  [/^GET \/environments\/:environment\/delete$/, 'ViewerOrAdmin'],
  [/ \/environments\/(new|:environment\/(edit|delete|cancel-deletion))$/, 'Admin'],
  // Where the environment or the request is in the form.
  [/^POST \/(apps\/:app|change-requests)\//, 'Everybody'],
  [/^POST \/environments\/:environment\/(instances|resources)\//, 'Developer'],
];
