/** Something changed while an answer with it was made. An answer that has begun cannot be finished then. */
export class ChangedMeanwhile extends Error {}
