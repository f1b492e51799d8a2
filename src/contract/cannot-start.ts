/** The process cannot start or go on: one clear line that names the way out, and exit code 2. */
export class CannotStart extends Error {}
