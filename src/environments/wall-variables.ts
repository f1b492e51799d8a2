// Variables that tell the program of a workspace which sandbox its commands have. Without either it runs no commands.

/** The path of bubblewrap. */
export const bubblewrapProgram = 'REPRISE_BUBBLEWRAP'
/** 1: commands run without a sandbox. */
export const allowUnsandboxed = 'ALLOW_UNSANDBOXED_SHELL'
