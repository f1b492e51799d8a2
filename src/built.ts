// Threads and processes of our own run from the bundle, also where we run from sources: a loader, which each of them
// would load anew, takes longer than what they do.
const here = new URL('./', import.meta.url)
const folder = import.meta.url.endsWith('.ts') ? new URL('../dist/', here) : here

/** A file that build.mjs makes. */
export const built = (name: string): URL => new URL(name, folder)
