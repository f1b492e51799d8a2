// The agents of a test, which run in its process: a worker whose messages go straight to the server. So breakpoints work, and the
// agents see the variables of the test.
import type { createWorkers } from '../../src/agent-hosts/workers.ts'
import { createAgentHost, definitionOf } from '../agent/index.ts'
import type { ServerOptions } from './types.ts'

type Agents = Exclude<ServerOptions['agents'], string | undefined>
type Line = ReturnType<ReturnType<typeof createWorkers>['connect']>
type Deps = {
  workers: Pick<ReturnType<typeof createWorkers>, 'connect'>
  agents: Agents
  /** Called at each message between the server and the agents. True: the agents die before it arrives. */
  isKilledAt: () => boolean
  /** Called when that has happened. */
  killed: () => void
}

/** All functions and charts by their names. Throws when one is none. */
export const definitionsOf = (agents: Agents) =>
  new Map(
    Object.entries(agents).map(([name, given]) => {
      try {
        return [name, definitionOf(given)]
      } catch (error) {
        throw new TypeError(`the agent ${name}: ${(error as Error).message}`)
      }
    }),
  )

const slots = 1000

/** Connects the agents. Throws when the server refuses one of them. */
export const connectAgents = ({ workers, agents, isKilledAt, killed }: Deps) => {
  const definitions = definitionsOf(agents)
  let isDead = false
  let underWay = 0
  const connect = () => {
    let isOver = false
    let line: Line | undefined
    let refused: { name: string; reason: string }[] = []
    /** Lets a message arrive later, unless the connection is over by then. */
    const later = (arrive: () => void) => {
      underWay++
      setImmediate(() => {
        underWay--
        if (isOver) return
        if (isKilledAt()) void dieAndComeBack()
        else arrive()
      })
    }
    const host = createAgentHost({
      agents: definitions,
      hasRoom: () => true,
      warn: text => void process.stderr.write(`reprise: ${text}\n`),
      send: text => later(() => line?.hear(Buffer.from(text))),
    })
    /** The connection breaks at once. Functions of `ctx.run` that run come to their end, since nothing can stop them. */
    const die = async (): Promise<void> => {
      if (isOver) return
      isOver = true
      line?.closed()
      await host.lost()
    }
    line = workers.connect(undefined, {
      send(text) {
        const message = JSON.parse(text)
        if (message.type === 'welcome') refused = message.refused
        else later(() => host.take(message))
      },
      ...{ pause() {}, resume() {}, unsent: () => 0 },
      ping: () => setImmediate(() => line?.heard()),
      cut: () => void die(),
    })
    line.hear(Buffer.from(host.hello({ name: 'test', slots, version: '1' })))
    return { die, refused }
  }
  let current = connect()
  const [first] = current.refused
  if (first !== undefined) throw new TypeError(`the server refuses the agent ${first.name}: ${first.reason}`)
  const dieAndComeBack = async () => {
    killed()
    await current.die()
    if (!isDead) current = connect()
  }
  return {
    /** Kills the agents, and starts them again. */
    again: dieAndComeBack,
    /** Whether messages are under way. */
    isBusy: () => underWay > 0,
    async die(): Promise<void> {
      isDead = true
      await current.die()
    },
  }
}
export type AgentsHere = ReturnType<typeof connectAgents>
