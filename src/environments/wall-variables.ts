// How the program of a workspace is told which wall its commands have. Without either variable it runs none.

/** The path of bubblewrap. */
export const bubblewrapProgram = 'REPRISE_BUBBLEWRAP'
/** Set to 1: commands run without a sandbox. */
export const allowUnsandboxed = 'ALLOW_UNSANDBOXED_SHELL'
