// Load on a server: a number of clients, each of which creates its next task when it has the whole answer to the last.
import autocannon from 'autocannon'
import { cpuSecondsOf, ownCpuSeconds } from './process-use.ts'
import { adminToken, type Server } from './server.ts'

export type Load = {
  /** Answers per second. */
  rate: number
  p50: number
  p99: number
  /** CPU milliseconds of the server for each answer. */
  cpuPerAnswer: number | undefined
  /** The share of one core that the clients used. Near 1, they are the bottleneck, and not the server. */
  generator: number
}
type LoadOptions = {
  clients: number
  seconds?: number
  amount?: number
  stream?: boolean
  /** Returns the n-th body; by default that of an echo task. */
  body?: (n: number, stream: boolean) => string
}

const different = 500

/** The n-th body, of about 300 bytes. It differs from the bodies before and after it. */
export const echoBody = (n: number, stream: boolean): string =>
  JSON.stringify({
    user_message_content: `Message ${n}: ${'the quick brown fox jumps over the lazy dog '.repeat(4)}`,
    client_id: 'echo',
    user_id: `user-${n % 100}`,
    stream,
  })
const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }

export const load = async (
  server: Server,
  { clients, seconds, amount, stream = false, body = echoBody }: LoadOptions,
): Promise<Load> => {
  const requests = Array.from({ length: different }, (_, n) => ({
    method: 'POST',
    path: '/v1/tasks',
    headers,
    body: body(n, stream),
  }))
  const ownBefore = ownCpuSeconds()
  const before = cpuSecondsOf(server.pid)
  const result = await autocannon({
    url: server.url,
    connections: clients,
    timeout: 60,
    ...(amount === undefined ? { duration: seconds ?? 4 } : { amount }),
    requests,
  })
  const after = cpuSecondsOf(server.pid)
  const answers = result['2xx']
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${server.url}: ${result.non2xx} answers had another status than 2xx, ${result.errors} requests failed`,
    )
  }
  return {
    rate: answers / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuPerAnswer:
      before === undefined || after === undefined ? undefined : ((after - before) * 1000) / answers,
    generator: (ownCpuSeconds() - ownBefore) / result.duration,
  }
}

/** Creates one task and checks its whole answer, since the load only counts answers. */
export const checkAnswer = async (server: Server, stream: boolean): Promise<void> => {
  const answer = await fetch(`${server.url}/v1/tasks`, { method: 'POST', headers, body: echoBody(0, stream) })
  const text = await answer.text()
  const whole = stream
    ? text.includes('event: task.completed\n')
    : JSON.parse(text).result?.status === 'completed'
  if (answer.status !== 200 || !whole) throw new Error(`not the answer to measure: ${text.slice(0, 300)}`)
}
