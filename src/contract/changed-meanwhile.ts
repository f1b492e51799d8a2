/** A long text changed while it was read, so an answer that has begun cannot be finished. */
export class ChangedMeanwhile extends Error {}
