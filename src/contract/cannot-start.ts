/** The process cannot start or continue: it prints one line that says what to do, and exits with code 2. */
export class CannotStart extends Error {}
