// How this command was called, for hints to paste: in a clone, `reprise` alone is not on PATH.
const { npm_command: way, npm_lifecycle_event: script } = process.env
export const called = way === 'exec' || script === 'start' ? 'npx reprise' : 'reprise'
