// Sends checkpoints to one witness, one at a time, and tries again while the witness is away. Of the checkpoints that
// come meanwhile, only the newest waits.
import type { Report, Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import type { Signer, Stored } from '../signer.ts'
import type { Tree } from '../store/tree.ts'
import { askWitness } from './ask-witness.ts'

export type CourierDeps = {
  signer: Pick<Signer, 'cosigned'>
  tree: Pick<Tree, 'ask'>
  timers: Timers
  report: Report
  stopping: AbortSignal
}

/** Milliseconds until the next try after a failure. The wait doubles with each failure. */
const shortestWaitMs = 1000
const longestWaitMs = 60_000

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

export const createWitnessCourier = (
  url: string,
  { signer, tree, timers, report, stopping }: CourierDeps,
) => {
  /** The size of the newest checkpoint that the witness has, as far as this server knows. */
  let known = 0
  /** The size of the newest checkpoint that the witness has signed. */
  let signed = 0
  let waiting: Stored | undefined
  let working: Promise<void> | undefined
  let failures = 0

  const send = async (checkpoint: Stored, again = true): Promise<void> => {
    const { size, text: note } = checkpoint
    if (known > size)
      throw new Error(`it knows ${known} events, and this log has ${size}: the log has lost events`)
    const proof = known === 0 ? [] : await tree.ask('consistency', { from: known, to: size })
    const answer = await askWitness(url, { old: known, proof, note }, stopping)
    if ('signatures' in answer) {
      known = size
      signed = size
      return signer.cosigned(size, answer.signatures)
    }
    known = answer.size
    if (!again) throw new Error(`it changes the size that it knows (${answer.size})`)
    return send(checkpoint, false)
  }
  const failed = (error: unknown): void => {
    if (failures === 0 && !stopping.aborted)
      report('warn', 'a witness has not signed a checkpoint; the server tries again', {
        witness: url,
        error: reasonOf(error),
      })
    failures++
  }
  const work = async (): Promise<void> => {
    while (waiting !== undefined && !stopping.aborted) {
      const checkpoint = waiting
      waiting = undefined
      try {
        await send(checkpoint)
        if (failures > 0) report('warn', 'the witness signs checkpoints again', { witness: url })
        failures = 0
      } catch (error) {
        failed(error)
        waiting ??= checkpoint
        await sleep(timers, Math.min(longestWaitMs, shortestWaitMs * 2 ** (failures - 1)), stopping)
      }
    }
  }
  return {
    take(checkpoint: Stored): void {
      waiting = checkpoint
      working ??= work().finally(() => {
        working = undefined
      })
    },
    done: () => working,
    counts: () => ({ witness: new URL(url).host, signed }),
  }
}
