// The door of a node: its HTTP server, whose requests go to the shard of this node or to the owner, and its connections
// to other nodes.
import { createServer, type Server } from 'node:http'
import type { ClusterKeys } from '../cluster/cluster-key.ts'
import { createAsk } from '../cluster/door/ask-node.ts'
import { longestHead } from '../cluster/door/head-length.ts'
import { createHops } from '../cluster/door/hop.ts'
import { createKeyExchange } from '../cluster/door/key-exchange.ts'
import { createNodeRoutes } from '../cluster/door/node-routes.ts'
import { createAnswers } from '../cluster/door/send-answer.ts'
import { createSwitchboard } from '../cluster/door/switchboard.ts'
import type { Config } from '../config.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { Report, World } from '../contract/ports.ts'
import { createAnswerForms } from '../http/answer-form.ts'
import { endBroken, headersMs, keptAliveMs, lookForLateMs, requestMs } from '../http/connections.ts'
import { waitingConnections } from '../http/port.ts'
import { isRecognized } from '../http/recognized.ts'
import type { Self } from './self.ts'
import type { Standby } from './standby.ts'
import { createStanding } from './standing.ts'
import type { NodeStorage } from './storage.ts'

/** Milliseconds for which open requests may still end when the node stops. */
const endingMs = 500

/** Milliseconds after its last question for which a standby is taken to be there. */
const standbyMs = 1000

type Deps = {
  config: Pick<Config, 'host' | 'port' | 'bodyLimit' | 'allowedOrigins'>
  node: { name: string; url: string }
  clusterKeys: ClusterKeys
  storage: NodeStorage
  standby: Pick<Standby, 'isReady'>
  self: Self
  world: World
  report: Report
}

type Place = { host: string; port: number }

const listen = (server: Server, { host, port }: Place): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: Error) =>
      reject(new CannotStart(`the server cannot listen on HOST=${host} PORT=${port}: ${error.message}`)),
    )
    server.listen({ host, port, backlog: waitingConnections }, resolve)
  })

/** Takes no more connections, and resolves when the open requests have ended or had their time. */
const close = async (server: Server): Promise<void> => {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), endingMs).unref()
  await closed
}

/** Begins to listen. Rejects with CannotStart. */
export const openDoor = async (deps: Deps) => {
  const { config, node, clusterKeys, storage, standby, self, world, report } = deps
  const stopping = new AbortController()
  const answers = createAnswers(createAnswerForms(config.allowedOrigins, () => world.ids.next('req_')))
  const hops = createHops({ key: clusterKeys.hops, node: node.name, world })
  const exchange = createKeyExchange({
    owner: self.owner,
    keys: storage.keys,
    key: clusterKeys.keys,
    ask: createAsk(hops),
    ...{ node, timers: world.timers, report },
  })
  const routes = createNodeRoutes({
    keys: storage.keys,
    key: clusterKeys.keys,
    status: () => ({
      url: node.url,
      ...self.state.inCluster(),
      ...self.state.counts(),
      standbys: routes.standbys(),
    }),
    answers,
    clock: world.clock,
  })
  const own = createStanding({
    ...self.state,
    position: () => storage.replica.caughtUp().position,
    isReady: standby.isReady,
    headersOf: answers.headersOf,
  })
  const switchboard = createSwitchboard({
    owner: self.owner,
    local: () => self.owned()?.door,
    own,
    nodeRoutes: routes.handle,
    isRecognized,
    answers,
    node: node.name,
    ...{ hops, world, report },
    stopping: stopping.signal,
  })
  const server = createServer({
    maxHeaderSize: longestHead,
    headersTimeout: headersMs,
    requestTimeout: requestMs(config.bodyLimit),
    keepAliveTimeout: keptAliveMs,
    connectionsCheckingInterval: lookForLateMs,
  })
  server.on('clientError', endBroken)
  switchboard.attach(server)
  await listen(server, config)
  const { host, port } = config
  return {
    /** Where it listens. */
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    /** The owner may have changed. */
    changed(): void {
      switchboard.changed()
      exchange.changed()
    },
    /** Whether another node follows this one closely. */
    hasStandby: (): boolean =>
      routes.standbys().some(({ askedAt }) => world.clock.now() - askedAt < standbyMs),
    /** Asks for no keys any more, so that no other node counts on this one. */
    leave: exchange.stop,
    async close(): Promise<void> {
      stopping.abort()
      await exchange.stop()
      await close(server)
      switchboard.close()
    },
  }
}
export type Door = Awaited<ReturnType<typeof openDoor>>
