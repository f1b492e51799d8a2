// Variables that tell the program of a workspace which sandbox its commands have. If neither is set, the program
// refuses to start a workspace.

/** The path of bubblewrap. */
export const bubblewrapProgram = 'REPRISE_BUBBLEWRAP'
/** The value 1 means that commands run without a sandbox. */
export const allowUnsandboxed = 'ALLOW_UNSANDBOXED_SHELL'
