// Many webhooks of one receiver, each on a path of its own. One answers very slowly and one refuses everything, until
// the test lets them answer like the others.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../support/http.ts'
import type { Api } from '../support/server.ts'

/** What the webhooks send: one event of each task. */
const type = 'TaskCreated'

/**
 * The receiver: path `/n` belongs to webhook n. `slowMs`: how long the slow path waits before it answers; undefined: it
 * answers when `release` is called.
 */
const receiveAll = async (count: number, slowMs: number | undefined) => {
  /** The ids that were answered with 200, by path, in order. */
  const accepted = Array.from({ length: count }, (): number[] => [])
  const held = new Set<() => void>()
  let isBad = false
  const accept = (path: number, id: number, response: ServerResponse): void => {
    accepted[path]?.push(id)
    response.end()
  }
  const hold = (path: number, id: number, response: ServerResponse): void => {
    const answer = () => {
      if (held.delete(answer)) accept(path, id, response)
    }
    held.add(answer)
    if (slowMs !== undefined) setTimeout(answer, slowMs)
  }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const path = Number(request.url?.slice(1))
      const id = Number(request.headers['webhook-id'])
      if (isBad && path === 0) hold(path, id, response)
      else if (isBad && path === 1) response.writeHead(500).end()
      else accept(path, id, response)
    })
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    urlOf: (path: number) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`,
    accepted,
    /** From now on path 0 is slow and path 1 answers 500. */
    turnBad(): void {
      isBad = true
    },
    /** From now on all paths answer at once. */
    release(): void {
      isBad = false
      for (const answer of [...held]) answer()
    },
    close: () => void server.close().closeAllConnections(),
  }
}

/** Calls `job` for each number below `count`, at most 16 calls at a time. */
const forEach = async (count: number, job: (n: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const work = async () => {
    while (next < count) await job(next++)
  }
  await Promise.all(Array.from({ length: 16 }, work))
}

/** The positions of all events that the webhooks send, in order. */
const storedBy = async (api: Api): Promise<number[]> => {
  const found: number[] = []
  for (let after = 0; ; ) {
    const answer = await api('GET', `/audit/events?after=${after}&limit=1000`)
    const { data: events } = (await answer.json()) as { data: { position: number; type: string }[] }
    found.push(...events.filter(event => event.type === type).map(event => event.position))
    if (events.length === 0) return found
    after = events.at(-1)?.position ?? after
  }
}

type Options = { webhooks: number; tasks: number; slowMs?: number; patienceMs: number }

export const manyWebhooks = async (api: Api, { webhooks, tasks, slowMs, patienceMs }: Options) => {
  const receiver = await receiveAll(webhooks, slowMs)
  const ids: string[] = []
  await forEach(webhooks, async n => {
    const made = await api('POST', '/webhooks', { url: receiver.urlOf(n), types: [type] })
    ids[n] = ((await made.json()) as { id: string }).id
  })
  const load = () =>
    forEach(tasks, async () => {
      const body = { user_message_content: 'x', client_id: 'echo', stream: false }
      await (await api('POST', '/tasks', body)).arrayBuffer()
    })
  const { accepted } = receiver
  const haveAll = (paths: readonly number[][], count: number) => paths.every(({ length }) => length >= count)
  const timed = async (isDone: () => boolean): Promise<number> => {
    const began = performance.now()
    await load()
    await until(isDone, patienceMs)
    return performance.now() - began
  }
  return {
    ids,
    accepted,
    /** Creates the tasks while all answer. Resolves to the milliseconds until every webhook has every event. */
    allWell: () => timed(() => haveAll(accepted, tasks)),
    /** The same for the webhooks but two, while one of these is slow and the other one refuses everything. */
    async twoBad(): Promise<number> {
      receiver.turnBad()
      return timed(() => haveAll(accepted.slice(2), 2 * tasks))
    },
    /** Lets the two answer again. Resolves when they have all events too. */
    async recover(): Promise<void> {
      receiver.release()
      // The same URL once more: the event that was refused gets its next try at once.
      await api('PATCH', `/webhooks/${ids[1]}`, { url: receiver.urlOf(1) })
      await until(() => haveAll(accepted, 2 * tasks), patienceMs)
    },
    /** What is wrong with what the webhooks got; none: each got every event, and new events in order. */
    async problems(): Promise<string[]> {
      const wanted = JSON.stringify(await storedBy(api))
      return accepted.flatMap((got, n) => {
        const firsts = [...new Set(got)]
        return JSON.stringify(firsts) === wanted
          ? []
          : [`webhook ${n} got ${firsts.length} events: ${firsts}`]
      })
    },
    close: receiver.close,
  }
}
