// Opens the shard after this node has claimed the log, hands it the requests, and closes it when the node gives it
// up.
import type { Inspect } from '../../actors/runtime/logic.ts'
import type { Config } from '../config.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { createFront } from '../front/front.ts'
import { readPlainFile, whatStandsAt } from '../platform/files/plain-file.ts'
import type { NodeState } from '../shard/doors.ts'
import { openShardParts } from '../shard/opening/open-shard.ts'
import { createShard } from '../shard/shard.ts'
import { createOwnRequests } from './own-requests.ts'
import type { NodeStorage } from './storage.ts'
import { createTraceRemoval } from './traces.ts'

/** Milliseconds between two checks whether the files that every owner needs have changed. */
const shareMs = 5000

type Deps = {
  config: Config
  storage: Pick<NodeStorage, 'replica' | 'files'>
  node: NodeState
  timers: Timers
  inspect: Inspect | undefined
  report: Report
}

const keepOpen = async (): Promise<void> => {}

/** Every owner needs certain files. Returns a function that sends those that have changed to the other nodes. */
const createSharing = ({ replica, files }: Pick<NodeStorage, 'replica' | 'files'>) => {
  const shared = new Map<string, string>()
  return async (): Promise<void> => {
    for (const [ref, file] of Object.entries(files)) {
      if (whatStandsAt(file) !== 'file') continue
      const text = readPlainFile(file)
      if (shared.get(ref) === text) continue
      shared.set(ref, text)
      replica.noteFile(ref)
    }
    await replica.putSecrets()
  }
}

/** Opens the shard. Rejects with CannotStart, or with an error of the log. */
export const openOwnedShard = async ({ config, storage, node, timers, inspect, report }: Deps) => {
  const { replica } = storage
  const shareFiles = createSharing(storage)
  // The shard is closed when it is given up, but its stores stay open, because this node then becomes a standby and
  // needs them.
  const stores = {
    store: { ...replica.store, close: keepOpen },
    secrets: { ...replica.secrets, close: () => {} },
    keyMade: () => Object.keys(storage.files).forEach(replica.noteFile),
  }
  const parts = await openShardParts(config, report, { stores, inspect })
  const shard = createShard(config, parts, report, node)
  const front = await createFront(config, shard, report)
  const requests = createOwnRequests(front.app.server)
  await shareFiles() // also the files that were made while the shard was opened
  shard.publish()
  const traces = createTraceRemoval({ models: parts.system.projector, timers, report })
  traces.remove() // of erasures that this node knew as a standby
  const stopSharing = timers.every(shareMs, () => {
    shareFiles().catch(error =>
      report('warn', 'files for other nodes could not be stored', { error: String(error) }),
    )
  })
  return {
    front,
    requests,
    async end(): Promise<void> {
      stopSharing()
      traces.end()
      await front.drain(0)
      await requests.close()
      await front.app.close()
      await front.close()
    },
  }
}
export type OwnedShard = Awaited<ReturnType<typeof openOwnedShard>>
