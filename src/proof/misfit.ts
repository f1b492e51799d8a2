/**
 * Thrown when a verified log or export does not fit. `position`: of the first event that does not fit; undefined when
 * the fault is not in an event. The message does not name the position.
 */
export class Misfit extends Error {
  readonly position: number | undefined
  readonly stream: string | undefined

  constructor(reason: string, position?: number, stream?: string) {
    super(reason)
    this.position = position
    this.stream = stream
  }
}
