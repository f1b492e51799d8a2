/**
 * Thrown when a verified log or export does not fit. `position`: of the first event that does not fit; undefined when
 * the fault is not in an event. The message does not name the position.
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
