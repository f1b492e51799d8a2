// Makes sure that the NATS servers write each record to disk before they confirm it: at the start of a node, and every
// minute, since somebody may start a server with other settings or another version.
import { CannotStart } from '../contract/cannot-start.ts'
import type { Timers } from '../contract/ports.ts'
import type { Conditions } from './conditions.ts'
import { haveTold, unsafetyOf } from './nats/judgements.ts'
import { type AskedServer, statesOfCopies } from './nats/monitors.ts'
import { shardStream } from './nats/streams.ts'
import type { ClusterSettings } from './settings.ts'

type Settings = Pick<ClusterSettings, 'monitorUrls' | 'acceptsUnsynced'>
type Deps = { settings: Settings; conditions: Pick<Conditions, 'begin' | 'end'>; timers: Timers }

/** Milliseconds between two judgements. */
const judgeMs = 60_000
/** At the start, milliseconds for most servers to answer, and between two tries. */
const [patienceMs, againMs] = [5000, 500]

const wayOut =
  'Or set CLUSTER_ACCEPT_UNSYNCED=1 to run with servers that may lose the newest records when most of them lose power'

/** Throws CannotStart when the settings name no server to ask, and do not accept what it could tell. */
export const mustNameMonitors = ({ monitorUrls, acceptsUnsynced }: Settings): void => {
  if (monitorUrls.length > 0 || acceptsUnsynced) return
  throw new CannotStart(
    `NATS_MONITOR_URLS is not set: set it to the monitoring addresses of the NATS servers, such as http://nats-1:8222,http://nats-2:8222,http://nats-3:8222, where this node sees whether they sync each record. ${wayOut}`,
  )
}

const ask = ({ monitorUrls }: Settings): Promise<AskedServer[]> =>
  statesOfCopies(monitorUrls, shardStream(0).name)

const mustBeSafe = async (settings: Settings, timers: Timers): Promise<void> => {
  let servers = await ask(settings)
  for (const end = performance.now() + patienceMs; !haveTold(servers) && performance.now() < end; ) {
    await new Promise<void>(resolve => void timers.after(againMs, resolve))
    servers = await ask(settings)
  }
  const unsafety = unsafetyOf(servers)
  if (unsafety !== undefined) throw new CannotStart(`${unsafety}. ${wayOut}`)
  if (haveTold(servers)) return
  const silent = servers.flatMap(one => ('error' in one ? [`${one.url} (${one.error})`] : []))
  throw new CannotStart(
    `most NATS servers do not tell whether they sync each record: ${silent.join(', ')}. Set "http" in their configuration, and NATS_MONITOR_URLS to these addresses. ${wayOut}`,
  )
}

/** Resolves, when the servers are safe or the settings accept that they are not, to what ends the watch. Rejects with CannotStart. */
export const watchSync = async ({ settings, conditions, timers }: Deps): Promise<() => void> => {
  if (settings.acceptsUnsynced) return () => {}
  await mustBeSafe(settings, timers)
  const judge = async (): Promise<void> => {
    const servers = await ask(settings)
    const unsafety = unsafetyOf(servers)
    if (unsafety !== undefined) conditions.begin('unsynced', unsafety)
    else if (haveTold(servers)) conditions.end('unsynced')
  }
  return timers.every(judgeMs, () => void judge())
}
