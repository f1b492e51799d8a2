// The version of AG-UI. Clients before 1.0 name none, and refuse some of what it adds.
export const protocol = '1.0'

/** Whether a client takes what 1.0 adds: the calls that a run leaves to it, and the outcome of a run that was canceled. */
export const takesNew = (version: string | null | undefined): boolean => Number.parseFloat(version ?? '') >= 1
