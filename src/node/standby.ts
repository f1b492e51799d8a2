// What a standby does: it brings the shared log into its files, and keeps its read models current.
import type { Conditions } from '../cluster/conditions.ts'
import type { Report, World } from '../contract/ports.ts'
import { type CopiedFiles, type Copy, openCopy } from './copy.ts'
import type { Held } from './roles.ts'
import type { NodeStorage } from './storage.ts'

type Deps = {
  storage: Pick<NodeStorage, 'local' | 'replica' | 'shared'>
  /** The file of the read models. */
  file: string
  erasable: CopiedFiles
  conditions: Conditions
  world: World
  report: Report
}

/** Milliseconds between two checks whether a node that begins to follow has reached the end of the log. */
const lookMs = 50

export const createStandby = ({ storage, file, erasable, conditions, world, report }: Deps) => {
  const { local, replica, shared } = storage
  let copy: Copy | undefined
  replica.onApplied(() => void copy?.follow())
  replica.onErasing(async streams => copy?.eraseFiles(streams))

  /** Whether something else than its way to the end of the log keeps this node from taking over. */
  const isBarred = (): boolean =>
    conditions.all().some(({ code, effect }) => effect === 'barred' && code !== 'catching-up')
  /** Resolves to whether this node has everything that the log has now. False: the node stops, or something bars it. */
  const isCaughtUp = async (stopping: AbortSignal): Promise<boolean> => {
    let end: number | undefined
    while (!stopping.aborted && !isBarred()) {
      end ??= await shared.tail().catch(() => undefined) // no server answers at the moment
      if (end !== undefined && replica.caughtUp().sequence >= end) return true
      await new Promise(resolve => setTimeout(resolve, lookMs))
    }
    return false
  }

  return {
    /**
     * Begins to follow. Resolves when the read models have everything that the log had at that moment, or when the node
     * stops, or something bars it from taking over. Then following goes on, and ends the condition when it can.
     */
    async begin(stopping: AbortSignal): Promise<Held> {
      await replica.rest() // a row that came now would be missing in the copy of the log
      const followed = await openCopy({ store: local, file, erasable, conditions, world, report })
      copy = followed
      conditions.begin('catching-up', 'this node reads the shared log up to its end')
      replica.follow()
      const isCurrent = await isCaughtUp(stopping)
      await followed.follow()
      if (isCurrent) conditions.end('catching-up')
      return {
        mayTakeOver: () => !conditions.areBarred(),
        async end() {
          copy = undefined
          await followed.close()
        },
      }
    },
    /** Whether this node follows the log, and could take over. */
    isReady: (): boolean => copy !== undefined && conditions.areReady(),
    lag: (): number => copy?.lag() ?? 0,
  }
}
export type Standby = ReturnType<typeof createStandby>
