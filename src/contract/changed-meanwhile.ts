/** What an answer shows changed while the answer was made. If the answer has begun, it cannot be finished. */
export class ChangedMeanwhile extends Error {}
