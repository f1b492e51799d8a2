/** The process cannot start or continue: it prints one line that says what to do, and exits with code 2. */
export class CannotStart extends Error {}
/**
 * The process cannot start now, for a cause that may pass while nobody changes the command, the variables or the
 * folder: a full disk, a log whose volume is not mounted. It exits with code 75, and a supervisor may start it again.
 */
export class NotNow extends CannotStart {}
