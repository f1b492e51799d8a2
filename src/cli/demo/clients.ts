// Clients of the demo's cluster: they create tasks at both nodes, each with an Idempotency-Key. A client without an
// answer repeats its request at the other node, until it has the answer.
import { setTimeout as sleep } from 'node:timers/promises'

const clients = 8
/** Milliseconds from an answer to the next task, and from a failure to the next try. */
const [nextMs, againMs] = [100, 50]
/** A client that has no answer after this many milliseconds asks the other node. */
const patienceMs = 5000

type Deps = { urls: string[]; token: string }

export const startClients = ({ urls, token }: Deps) => {
  /** The ids of the acknowledged tasks, by the Idempotency-Key of their request. */
  const acknowledged = new Map<string, string>()
  let newest = performance.now()
  let outageMs = 0
  let isOver = false

  const noteAnswer = (): void => {
    const now = performance.now()
    outageMs = Math.max(outageMs, now - newest)
    newest = now
  }
  /** Resolves to the id of the task, or to undefined when the client must ask again. */
  const ask = async (url: string, key: string): Promise<string | undefined> => {
    try {
      const answer = await fetch(`${url}/v1/tasks`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ user_message_content: key, stream: false, client_id: 'echo' }),
        signal: AbortSignal.timeout(patienceMs),
      })
      const { result } = (await answer.json()) as { result?: { id: string } }
      return answer.ok ? result?.id : undefined
    } catch {
      return undefined
    }
  }
  const work = async (client: number): Promise<void> => {
    for (let n = 0; !isOver; n++, await sleep(nextMs)) {
      const key = `client-${client}-${n}`
      for (let tries = 0; !acknowledged.has(key); tries++) {
        const id = await ask(urls[(client + tries) % urls.length] ?? '', key)
        if (id === undefined) await sleep(againMs)
        else acknowledged.set(key, id)
      }
      noteAnswer()
    }
  }
  const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  return {
    acknowledged,
    /** The longest time without an answer to any client, in milliseconds. */
    outageMs: () => outageMs,
    /** Resolves when `count` more tasks have been acknowledged. */
    async more(count: number): Promise<void> {
      const wanted = acknowledged.size + count
      while (acknowledged.size < wanted) await sleep(10)
    },
    /** Begins no further task. Resolves when each task that a client has asked for is acknowledged. */
    async stop(): Promise<void> {
      isOver = true
      await working
    },
  }
}
export type Clients = ReturnType<typeof startClients>
