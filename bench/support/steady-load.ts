// Load at a fixed rate: a request is sent at its time, whether earlier ones are answered or not. So a server that stops for
// a moment is late for all requests of that moment, as it is for real callers.
import { Agent, request } from 'node:http'
import { echoBody } from './load.ts'
import { adminToken, type Server } from './server.ts'
import { percentile } from './stats.ts'

const sockets = 256
const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }

/** Resolves when the whole answer is there. */
const post = (agent: Agent, url: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/tasks`, { agent, method: 'POST', headers }, answer => {
      if (answer.statusCode !== 200)
        reject(new Error(`${url}: an answer had the status ${answer.statusCode}`))
      answer.resume().once('end', resolve)
    })
    sent.once('error', reject).end(body)
  })

/** Milliseconds from the time of a request to the end of its answer. */
export const steadyLoad = async (
  server: Server,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<{ p50: number; p99: number; times: number[] }> => {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets })
  const times: number[] = []
  const answers: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; n < perSecond * seconds; ) {
    const due = Math.min(perSecond * seconds, ((performance.now() - began) / 1000) * perSecond)
    for (; n < due; n++) {
      const at = began + (n * 1000) / perSecond
      const answered = post(agent, server.url, echoBody(n, false))
      answers.push(answered.then(() => void times.push(performance.now() - at)))
    }
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  await Promise.all(answers)
  agent.destroy()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), times }
}
