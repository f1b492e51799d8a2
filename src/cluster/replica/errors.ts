// The errors of a replica, in addition to those of the shared log.
import type { KeyName } from '../records/content.ts'

/** This node lacks keys of the epoch `epoch`, and cannot open records without them. It gets keys from the owner. */
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

/** Rows came without a payload, because its key was destroyed, and the erasure of it is not in the shared log. */
export class LacksErasure extends Error {
  constructor(rows: number) {
    super(
      `${rows} events came without a payload, and the shared log has lost the erasure: start the node that owned the log before, and this one gets the erasure from it`,
    )
  }
}

/** The stream was made again from a node that has more events than this one. */
export class LacksEvents extends Error {
  constructor(here: number, least: number) {
    super(
      `this node has ${here} events, and the shared log was made again from a node that has ${least}: start that node, and this one gets the events from it`,
    )
  }
}

/** Another node has events that the shared log and this node lack, so that node takes the log over first. */
export class IsShorter extends Error {
  constructor(here: number, { node, events }: { node: string; events: number }) {
    super(
      `this node has ${here} events, and the node ${node} has ${events}, more than the shared log: ${node} takes the log over, and this one gets the events from it. If ${node} does not do so, look at "reprise cluster status": it says what keeps ${node} from it`,
    )
  }
}

/** The shared log lacks events, or was made again. Nodes that may have more of them than this one do not answer. */
export class IsUnanswered extends Error {
  constructor(nodes: readonly string[], seconds: number) {
    super(
      `the shared log was made again, or its servers have lost events, and ${nodes.join(' and ')} may have more events than this node: this node waits up to ${seconds} s for an answer. Start ${nodes.join(' and ')}`,
    )
  }
}

/** The log of this node and the shared log differ. Nothing is overwritten. */
export class Divergence extends Error {
  readonly position: number
  constructor(position: number, why: string) {
    super(
      `the log of this node ${why} at position ${position}. Nothing was changed. If "reprise cluster status" shows another node whose log is whole, move the DATA_DIR of this node aside, keep it, and start this node with an empty one. If it shows none, keep all folders as they are`,
    )
    this.position = position
  }
}

/** This node has events that the owner does not have, and the owner has appended nothing in their place yet. */
export class UnsharedEvents extends Error {
  constructor(count: number, owner: string) {
    super(
      `this node has ${count} events that ${owner}, which owns the shared log, does not have. Stop ${owner}: then this node takes over, and brings these events into the shared log. Start ${owner} again when this node is the owner`,
    )
  }
}
