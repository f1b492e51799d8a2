// What every attack is given: calls that never throw, raw sockets, and counts of what the server said. An attacker waits
// for answers and keeps its buffers, so that the work is the server's.
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'

export type Target = {
  url: string
  token: string
  /** What belongs to the other user: nothing of it may be seen or changed. */
  victim: { user: string; task: string; session: string; folder: string; secret: string }
}
export type Counts = {
  /** How often each attack was answered with each status; 0: not at all. */
  answers: Record<string, Record<number, number>>
  quotas: Record<string, number>
  /** Answers that held what is the other user's. */
  leaks: string[]
}
type Options = { headers?: Record<string, string>; most?: number; silentMs?: number }

export const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

const looked = 256 * 1024

export const createHand = ({ url, token, victim }: Target, over: () => boolean) => {
  const { hostname, port } = new URL(url)
  const counts: Counts = { answers: {}, quotas: {}, leaks: [] }
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const authorization = `Bearer ${token}`

  const note = (attack: string, status: number, text: string): void => {
    counts.answers[attack] ??= {}
    const own = counts.answers[attack]
    own[status] = (own[status] ?? 0) + 1
    if (status === 429) {
      const quota = /"quota":"([^"]*)"/.exec(text)?.[1] ?? 'no quota named'
      counts.quotas[quota] = (counts.quotas[quota] ?? 0) + 1
    }
    if (text.includes(victim.secret)) counts.leaks.push(`${attack}: ${text.slice(0, 200)}`)
  }

  /** One call; reads at most `most` bytes of its answer, after `silentMs` of reading nothing. */
  const call = (
    attack: string,
    method: string,
    path: string,
    body?: string | Buffer,
    { headers = {}, most = 64 << 20, silentMs = 0 }: Options = {},
  ): Promise<{ status: number; text: string }> =>
    new Promise(resolve => {
      let isDone = false
      const hasBegun = false
      const done = (status: number, text: string) => {
        if (isDone) return
        isDone = true
        note(attack, status, text)
        resolve({ status, text })
      }
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const asked = request({ hostname, port, method, path, agent, timeout: 60_000 }, answer => {
        let text = ''
        let size = 0
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (text.length < looked) text += chunk.toString('latin1')
          if (size > most) asked.destroy()
        })
        answer.on('close', () => done(answer.statusCode ?? 0, text))
        if (silentMs > 0) {
          answer.pause()
          setTimeout(() => answer.resume(), silentMs)
        }
      })
      asked.setHeader('authorization', authorization)
      for (const [name, value] of Object.entries({ ...length, ...headers })) asked.setHeader(name, value)
      if (body !== undefined && headers['content-type'] === undefined)
        asked.setHeader('content-type', 'application/json')
      asked.on('timeout', () => asked.destroy())
      asked.on('error', () => hasBegun || setTimeout(done, 50, 0, '')) // a server that is away is not asked without a pause
      asked.on('close', () => hasBegun || setTimeout(done, 50, 0, ''))
      asked.end(body)
    })

  return {
    url,
    victim,
    counts,
    over,
    call,
    note,
    authorization,
    post: (attack: string, path: string, body: object, options?: Options) =>
      call(attack, 'POST', path, JSON.stringify(body), options),
    /** A socket of its own, with these bytes sent; undefined when it cannot be had. */
    socket: (text: string): Promise<Socket | undefined> =>
      new Promise(resolve => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => resolve(undefined))
        socket.once('connect', () => {
          socket.write(text)
          resolve(socket)
        })
      }),
    head: (method: string, path: string, ...lines: string[]) =>
      `${[`${method} ${path} HTTP/1.1`, `Host: ${hostname}`, `Authorization: ${authorization}`, ...lines].join('\r\n')}\r\n`,
    /** The same work by so many at once, again and again with a pause, until it is over. */
    async workers(count: number, pauseMs: number, work: (worker: number) => Promise<unknown>): Promise<void> {
      const one = async (worker: number) => {
        await sleep(worker * 20)
        while (!over()) {
          await work(worker)
          await sleep(pauseMs)
        }
      }
      await Promise.all(Array.from({ length: count }, (_, worker) => one(worker)))
    },
  }
}
export type Hand = ReturnType<typeof createHand>
export type Attack = (hand: Hand) => Promise<void>

/** A create that plays a script. */
export const playing = (script: object[], more: object = {}) => ({
  user_message_content: 'x',
  stream: false,
  agent_config: { agent_id: 'script', script },
  ...more,
})
export const idOf = (text: string): string => /"id":"(task_[^"]+)"/.exec(text)?.[1] ?? 'none'
