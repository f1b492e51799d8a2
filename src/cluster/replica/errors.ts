// The errors of a replica, in addition to those of the shared log.
import type { KeyName } from '../records/content.ts'

/**
 * This node lacks keys of the epoch `epoch`, and cannot open records without them. It gets keys from the owner. A claim
 * throws this error too, with epoch 0, when rows came without a payload and no erasure covers them.
 */
export class LacksKeys extends Error {
  readonly epoch: number
  readonly count: number
  constructor(names: readonly KeyName[]) {
    const epoch = names[0]?.[0] ?? 0
    const count = names.filter(([each]) => each === epoch).length
    super(
      `${count} keys of epoch ${epoch} are missing: start a node that has them, and this one gets them from it`,
    )
    this.epoch = epoch
    this.count = count
  }
}

/** The log of this node and the shared log differ. Nothing is overwritten. */
export class Divergence extends Error {
  readonly position: number
  constructor(position: number, why: string) {
    super(
      `the log of this node ${why} at position ${position}: keep its DATA_DIR aside, and start it with an empty one, which is filled from the shared log`,
    )
    this.position = position
  }
}
