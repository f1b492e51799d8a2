// Hosts of agents in this process: the real library of agents, without a connection. `kill` ends a host as a crash would.
import { definitionOf } from '../../../library/agent/definition.ts'
import { createAgentHost } from '../../../library/agent/host.ts'
import { drawingOf } from '../../../library/agent/machine/drawing.ts'
import type { Chart } from '../../../library/agent/types.ts'
import type { Begin, CodeAgent, CodeAgents, LeaseListener, Turn } from '../../../src/contract/code-agent.ts'

type Message = { type: string; lease: string } & Partial<Turn> & { id?: number; reason?: string }

type Defined = ReturnType<typeof definitionOf> & { chart?: Chart }

export const hostsHere = (agents: Record<string, unknown>, version = '1') => {
  const definitions = new Map(
    Object.entries(agents).map(([name, given]): [string, Defined] => [name, definitionOf(given)]),
  )
  const listeners = new Map<string, LeaseListener>()
  const told: { from: 'server' | 'host'; message: object }[] = []
  const callbacks: (() => void)[] = []
  /** Leases that wait for a host. */
  let waiting: (() => void)[] = []
  let isThere = true
  let lastMove: string | undefined
  let freezes = false
  let leases = 0
  const newHost = () =>
    createAgentHost({
      agents: definitions as never,
      hasRoom: () => true,
      warn: () => {},
      send(text) {
        const message = JSON.parse(text) as Message
        told.push({ from: 'host', message })
        const listener = listeners.get(message.lease)
        if (listener === undefined) return
        if (message.type === 'turn') void listener.turn(message as unknown as Turn)
        if (lastMove !== undefined && message.moves?.some(({ do: what }) => what === lastMove)) {
          lastMove = undefined
          listeners.delete(message.lease)
          if (freezes) return
          isThere = false
          listener.over({ why: 'released', message: 'the host stops' })
        }
        if (message.type === 'release') {
          listeners.delete(message.lease)
          listener.over({ why: 'released', message: message.reason ?? '' })
        }
        if (message.type === 'ask') {
          void listener
            .history()
            .then(value => take({ type: 'answer', lease: message.lease, id: message.id, value }))
        }
      },
    })
  let host = newHost()
  const take = (message: { type: string; lease: string } & Record<string, unknown>) => {
    const read = JSON.parse(JSON.stringify(message))
    told.push({ from: 'server', message: read })
    host.take(read)
  }
  const all: CodeAgent[] = [...definitions].map(([name, { kind, chart }]) => ({
    name,
    kind,
    version,
    source: `${name}.mjs`,
    ...(chart === undefined ? {} : { chart: drawingOf(chart) }),
  }))
  const served: CodeAgents = {
    find: name => all.find(agent => agent.name === name),
    names: () => all.map(({ name }) => name),
    isServed: name => definitions.has(name) && isThere,
    onChanged: callback => void callbacks.push(callback),
    lease(_asked, listener) {
      const lease = `l_${++leases}`
      let isOver = false
      const begin = () => {
        if (isOver) return
        listeners.set(lease, listener)
        take({ type: 'begin', lease, ...(listener.begin() as Begin) })
        listener.began(version)
      }
      if (isThere) setImmediate(begin)
      else waiting.push(begin)
      return {
        results: results => take({ type: 'results', lease, results }),
        run: n => take({ type: 'run', lease, n }),
        rests() {},
        stop(reason) {
          isOver = true
          listeners.delete(lease)
          take({ type: 'stop', lease, reason })
        },
      }
    },
  }
  return {
    served,
    told,
    /** The host goes away right after a turn with such a move; `freezes`: it only says nothing more. */
    goAfter(kind: string, isFrozen = false) {
      lastMove = kind
      freezes = isFrozen
    },
    /** The host goes away, and its leases with it, until `come`. */
    go() {
      isThere = false
      const lost = [...listeners.values()]
      listeners.clear()
      void host.lost()
      for (const listener of lost) listener.over({ why: 'lost', message: 'the host has gone' })
      for (const tell of callbacks) tell()
    },
    come() {
      isThere = true
      host = newHost()
      for (const begin of waiting) begin()
      waiting = []
      for (const tell of callbacks) tell()
    },
    /** Ends the host as a crash would, and begins another one. */
    kill() {
      const lost = [...listeners.values()]
      listeners.clear()
      void host.lost()
      host = newHost()
      for (const listener of lost) listener.over({ why: 'died', message: 'the host was killed' })
    },
  }
}
