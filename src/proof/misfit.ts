/**
 * What is verified does not fit. `position`: the first event that does not fit; undefined when the fault is not in an
 * event. The message is a sentence without the position.
 */
export class Misfit extends Error {
  constructor(
    reason: string,
    readonly position?: number,
    readonly stream?: string,
  ) {
    super(reason)
  }
}
