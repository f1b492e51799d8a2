// The gateway of a node: its HTTP server, and its connections to other nodes. The node answers a request itself while it
// owns the log; otherwise it sends the request to the owner.
import { createServer, type Server } from 'node:http'
import type { ClusterKeys } from '../cluster/cluster-key.ts'
import type { Conditions } from '../cluster/conditions.ts'
import { createAskNode } from '../cluster/gateway/ask-node.ts'
import { longestHead } from '../cluster/gateway/head-length.ts'
import { createHops } from '../cluster/gateway/hop.ts'
import { createKeyExchange } from '../cluster/gateway/key-exchange.ts'
import { createNodeRoutes } from '../cluster/gateway/node-routes.ts'
import { createAnswerSender } from '../cluster/gateway/send-answer.ts'
import { createSwitchboard } from '../cluster/gateway/switchboard.ts'
import type { Introduction } from '../cluster/introduction.ts'
import type { Neighbours } from '../cluster/neighbours.ts'
import type { Config } from '../config.ts'
import type { World } from '../contract/ports.ts'
import { createAnswerForms } from '../http/request/answer-form.ts'
import { isRecognized } from '../http/request/recognized.ts'
import {
  createEndBroken,
  headersMs,
  keptAliveMs,
  lookForLateMs,
  requestMs,
} from '../http/server/connections.ts'
import { cannotListen, waitingConnections } from '../http/server/port.ts'
import { rootOf, takePrefixOff } from '../http/server/public-url.ts'
import type { Operator } from './operator.ts'
import type { Self } from './self.ts'
import type { Standby } from './standby.ts'
import { createStanding } from './standing.ts'
import type { NodeStorage } from './storage.ts'

/** Milliseconds that open requests have to finish when the node stops. Then their connections are closed. */
const endingMs = 500

type Deps = {
  config: Pick<Config, 'host' | 'port' | 'publicUrl' | 'bodyLimit' | 'allowedOrigins'>
  node: { name: string; url: string }
  /** What this node says about itself to other nodes. */
  me: Introduction
  neighbours: Neighbours
  clusterKeys: ClusterKeys
  storage: NodeStorage
  standby: Pick<Standby, 'isReady'>
  self: Self
  operator: Pick<Operator, 'about' | 'note' | 'order'>
  conditions: Conditions
  world: World
}

type Place = { host: string; port: number }

const listen = (server: Server, { host, port }: Place): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: Error) => reject(cannotListen(host, port, error)))
    server.listen({ host, port, backlog: waitingConnections }, resolve)
  })

/** Takes no more connections, and resolves when the open requests have ended or their time is over. */
const close = async (server: Server): Promise<void> => {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), endingMs).unref()
  await closed
}

/** Begins to listen. Rejects with CannotStart. */
export const openGateway = async (deps: Deps) => {
  const { config, node, me, neighbours, clusterKeys, storage, standby, self, operator, conditions, world } =
    deps
  const stopping = new AbortController()
  const answers = createAnswerSender(createAnswerForms(config, () => world.ids.next('req_')))
  const hops = createHops({ key: clusterKeys.hops, node: node.name, world })
  const exchange = createKeyExchange({
    owner: self.owner,
    keys: storage.keys,
    key: clusterKeys.keys,
    ask: createAskNode(hops),
    sequence: () => storage.replica.caughtUp().sequence,
    url: node.url,
    ...{ me, neighbours, conditions, timers: world.timers },
  })
  const routes = createNodeRoutes({
    keys: storage.keys,
    key: clusterKeys.keys,
    status: () => ({ ...operator.about(), standbys: routes.standbys(), differing: neighbours.differing() }),
    order: operator.order,
    asked: operator.note,
    ...{ me, neighbours },
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
    local: () => self.owned()?.requests,
    own,
    nodeRoutes: routes.handle,
    isRecognized,
    answers,
    node: node.name,
    clockDiffers: neighbours.untimely,
    ...{ hops, world },
    stopping: stopping.signal,
  })
  const server = createServer({
    maxHeaderSize: longestHead,
    headersTimeout: headersMs,
    requestTimeout: requestMs(config.bodyLimit),
    keepAliveTimeout: keptAliveMs,
    connectionsCheckingInterval: lookForLateMs,
  })
  server.on('clientError', createEndBroken({ root: rootOf(config.publicUrl) }))
  switchboard.attach(server)
  takePrefixOff(server, config.publicUrl)
  await listen(server, config)
  const { host, port } = config
  return {
    /** The URL at which the server listens. */
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    /** Called when the owner may have changed. */
    changed(): void {
      switchboard.changed()
      exchange.changed()
    },
    /** The nodes that have asked this one for keys within the last second, as standbys do. */
    present: routes.present,
    /** Stops asking the owner for keys, so that the owner no longer counts this node as a standby. */
    leave: exchange.stop,
    async close(): Promise<void> {
      stopping.abort()
      await exchange.stop()
      await close(server)
      switchboard.close()
    },
  }
}
export type Gateway = Awaited<ReturnType<typeof openGateway>>
