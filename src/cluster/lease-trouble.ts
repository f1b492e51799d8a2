// Why a node could not take or keep the lease at the moment, from what its two signs say: whether the servers answer
// questions about the stream, and whether they store the beats of this node.
import type { LeaseTrouble } from './lease-messages.ts'

export const createTrouble = (tell: (trouble: LeaseTrouble | undefined) => void) => {
  const signs: Record<'stream' | 'beats', LeaseTrouble | undefined> = { stream: undefined, beats: undefined }
  let told: LeaseTrouble | undefined
  return {
    /** Notes what a sign says now. Tells the trouble when it has changed. */
    note(sign: keyof typeof signs, trouble: LeaseTrouble | undefined): void {
      signs[sign] = trouble
      const now = signs.stream ?? signs.beats
      if (now !== told) tell(now)
      told = now
    },
  }
}
