// What a node does before it joins its cluster: it introduces itself to the node that has sent the newest beat. When the
// two could not take over from each other, the node that joins ends.
import { randomUUID } from 'node:crypto'
import type { NatsSettings } from '../bus/nats/nats-settings.ts'
import { recordsVersion } from '../cluster/beginning.ts'
import type { ClusterKeys } from '../cluster/cluster-key.ts'
import { type Ask, createAskNode } from '../cluster/gateway/ask-node.ts'
import { createHops } from '../cluster/gateway/hop.ts'
import { aboutAnswer, aboutQuestion, type JoinAnswer, joinPath } from '../cluster/gateway/node-routes.ts'
import { openLetter, sealLetter } from '../cluster/gateway/sealed-letter.ts'
import { compare, type Introduction } from '../cluster/introduction.ts'
import { lastBeats } from '../cluster/last-beat.ts'
import type { Config } from '../config.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import type { World } from '../contract/ports.ts'
import { version } from '../platform/version.ts'
import { commonSettings } from './common-settings.ts'

/** Milliseconds that the servers have to tell the newest beat. */
const waitMs = 3000
/** A process of the same name that was killed a moment ago counts as gone after this many milliseconds. */
const goneMs = 2500
/** Milliseconds between two introductions while the name is taken. */
const againMs = 500

/** What a node says about itself to other nodes. */
export const introduce = (config: Config, node: string, keys: ClusterKeys): Introduction => ({
  node,
  run: randomUUID(),
  version,
  records: recordsVersion,
  settings: commonSettings(config, keys.settings),
})

type Deps = {
  settings: NatsSettings
  me: Introduction
  clusterKeys: ClusterKeys
  world: World
}

/** Introduces this node at `url`. Undefined: no node answers there that takes its signature and has its key. */
const introduced = async (
  ask: Ask,
  url: string,
  { me, clusterKeys }: Deps,
): Promise<JoinAnswer | undefined> => {
  try {
    const { bytes, nonce } = await ask(url, {
      method: 'POST',
      path: joinPath,
      body: number => sealLetter(clusterKeys.keys, aboutQuestion(number), me),
    })
    return openLetter(clusterKeys.keys, aboutAnswer(nonce), bytes) as JoinAnswer
  } catch {
    return undefined
  }
}

/** The URL of the node that has sent the newest beat; undefined: no node has, or the servers do not tell. */
const newestHolder = async ({ settings, world: { timers } }: Deps): Promise<string | undefined> => {
  const [beat] = await lastBeats({ settings, shard: 0, timers, report: () => {}, waitMs }).catch(() => [])
  return beat?.url
}

/**
 * Resolves when this node may join: the other node has nothing against it, or none answers. Rejects with CannotStart.
 */
export const join = async (deps: Deps): Promise<void> => {
  const { me, clusterKeys, world } = deps
  const url = await newestHolder(deps)
  if (url === undefined) return
  const ask = createAskNode(createHops({ key: clusterKeys.hops, node: me.node, world }))
  const until = performance.now() + goneMs
  for (;;) {
    const answer = await introduced(ask, url, deps)
    if (answer === undefined) return
    const { clash } = compare(me, answer.from)
    if (clash !== undefined) throw new CannotStart(clash)
    if (!answer.isTaken) return
    if (performance.now() > until)
      throw new CannotStart(
        `another process of this cluster has the name ${me.node}: set NODE_NAME to a name that no other node has`,
      )
    await new Promise(resolve => setTimeout(resolve, againMs))
  }
}
