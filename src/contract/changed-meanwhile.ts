/** A long text was changed while it was read: what was answered of it cannot be finished. */
export class ChangedMeanwhile extends Error {}
