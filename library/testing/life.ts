// One life of a server under test: from a start to a stop or a kill. It is the real server on real files, with a clock that moves, and
// with stores that die at a kill.
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { readConfig } from '../../src/config.ts'
import type { Report } from '../../src/contract/ports.ts'
import { openStore } from '../../src/log/chosen-storage.ts'
import { filesOf } from '../../src/platform/files/data-folder.ts'
import { makeOwnFolder } from '../../src/platform/files/make-folder.ts'
import { openSecrets } from '../../src/platform/secrets.ts'
import { Members } from '../../src/platform/transient.ts'
import { realWorld } from '../../src/platform/world.ts'
import { startServer } from '../../src/start/server.ts'
import { type AgentsHere, connectAgents } from './agents-here.ts'
import type { MovedClock } from './clock.ts'
import { createMortalStores } from './mortal-stores.ts'
import type { KillPoint, ServerOptions } from './types.ts'

/** Milliseconds after which a server counts as settled that works on something and stores nothing, such as a hanging request. */
const patienceMs = 250

/** A server is settled that has done nothing for this many turns of the event loop. */
const turns = 10

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

type Deps = {
  clock: MovedClock
  variables: Readonly<Record<string, string>>
  dataDir: string
  agents: ServerOptions['agents']
  report: Report
  isKilledAt: (append: number, when: KillPoint) => boolean
  /** Called when a planned kill has come. */
  onKill: () => void
  isAgentKilledAt: () => boolean
  onAgentKill: () => void
}

/** Kills the processes of a server as their system would. */
const killChildren = (folder: string): void => {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {} // it has started none
  for (const name of names)
    try {
      process.kill(-Number(name), 'SIGKILL')
    } catch {} // it has ended
}

export const startLife = async (deps: Deps) => {
  const { clock, dataDir, agents } = deps
  const files = filesOf(dataDir)
  const config = readConfig({ ...deps.variables, DATA_DIR: dataDir })
  const timers = clock.newTimers()
  const world = { ...realWorld(), clock, timers }
  const report: Report = (...line) => {
    if (!stores.isDead()) deps.report(...line)
  }
  makeOwnFolder(dataDir)
  const stores = createMortalStores({
    store: openStore(files.log, () => world.ids.next('log_'), [files.lock, files.secrets]),
    secrets: openSecrets(files.secrets, report),
    isKilledAt: deps.isKilledAt,
    died: () => {
      cut()
      deps.onKill()
    },
  })
  const sockets = new Members<Socket>()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = await startServer(config, report, {
    world,
    stores: { store: stores.store, secrets: stores.secrets, keyMade() {} },
  })
  server.listener.on('connection', (socket: Socket) => {
    if (stores.isDead()) return void socket.destroy()
    socket.once('close', sockets.join(socket))
  })
  const close = async (): Promise<void> => {
    await server.stop(0)
    timers.stop()
  }
  let here: AgentsHere | undefined
  if (typeof agents === 'object')
    try {
      const { workers } = server
      here = connectAgents({
        ...{ workers, agents, isKilledAt: deps.isAgentKilledAt, killed: deps.onAgentKill },
      })
    } catch (error) {
      await close()
      throw error
    }

  /** Resolves when the server works on nothing. */
  const settled = async (): Promise<void> => {
    const { log, busy } = server.system
    let head = -1
    let still = 0
    for (let since = performance.now(); still < turns; ) {
      await log.settled()
      await turn()
      if (stores.isDead()) return
      if (head !== log.head()) since = performance.now()
      const isStill = head === log.head() && busy() === 0 && !here?.isBusy()
      head = log.head()
      still = isStill ? still + 1 : 0
      if (isStill) continue
      if (performance.now() - since > patienceMs) return
      await new Promise(resolve => setTimeout(resolve, 1))
    }
  }
  return {
    url: server.url,
    stores,
    settled,
    advanceTo: (end: number) => clock.advanceTo(end, { timers, settled, isOver: stores.isDead }),
    killAgents: async () => here?.again(),
    /** Stops in order. */
    async stop(): Promise<void> {
      await close()
      await here?.die()
    },
    /** Dies, if it has not died before, and resolves when its files are free. */
    async kill(): Promise<void> {
      stores.die()
      cut()
      const ended = here?.die()
      server.system.log.check() // from now on, the log knows that nothing can be stored
      killChildren(files.children)
      await close()
      await ended
    },
  }
}
export type Life = Awaited<ReturnType<typeof startLife>>
