// Stories of the workers in examples/agents, each told with kills at every point: of the server at its appends, and of the worker
// at every piece of data between the two. Used by agents-kills.test.ts, which takes some points, and by the soak test.
import { deepStrictEqual } from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import { killEverywhere, startTestServer } from '../../library/testing/index.ts'
import type { Story, TestServer } from '../../library/testing/types.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { pause } from '../support/http.ts'
import { outside } from './agents-kills.ts'
import { noPython, shop, startReminders, type WorkerPlace } from './example-workers.ts'

/** `killAt`: the piece of data at which the worker dies, before it arrives. */
const mortalWorker = async (
  server: TestServer,
  start: (place: WorkerPlace) => ChildProcess,
  killAt?: number,
) => {
  // With a key, a request is sent again that a kill has cut off.
  const key = { 'idempotency-key': 'worker' }
  const made = await server.request('POST', '/auth/tokens', { role: 'worker' }, key)
  const { token } = (await made.json()) as { token: string }
  const sockets = new Set<Socket>()
  let [pieces, isKilled, isOver] = [0, false, false]
  let said = ''
  let child: ChildProcess
  const begin = () => {
    child = start(place)
    child.stderr?.on('data', chunk => {
      said += chunk
    })
  }
  const die = () => {
    isKilled = true
    child.kill('SIGKILL')
    for (const socket of sockets) socket.destroy()
    begin()
  }
  const link = createServer(near => {
    const far = connect(Number(new URL(server.url).port), '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from
        .on('error', () => {})
        .once('close', () => {
          sockets.delete(from)
          to.destroy()
        })
      from.on('data', chunk => {
        if (isOver || from.destroyed) return
        if (++pieces === killAt) die()
        else to.write(chunk)
      })
    }
  })
  await new Promise<void>(resolve => link.listen(0, '127.0.0.1', resolve))
  const address = link.address()
  if (address === null || typeof address === 'string') throw new Error('it does not listen')
  const place = { url: `http://127.0.0.1:${address.port}`, token, port: await freePort() }
  begin()
  return {
    port: place.port,
    said: () => said,
    isKilled: () => isKilled,
    stop() {
      isOver = true
      child.kill('SIGKILL')
      for (const socket of sockets) socket.destroy()
      link.close()
    },
  }
}

type Mortal = Awaited<ReturnType<typeof mortalWorker>>
type Deps = {
  start: Parameters<Story<unknown>>[0]
  /** Starts the worker beside a server. */
  launch(server: TestServer, start: (place: WorkerPlace) => ChildProcess): Promise<Mortal>
}
type WorkerStory = (deps: Deps) => Promise<unknown>

/** Resolves when a worker has brought the agent. */
const listed = async (server: TestServer, agent: string, worker: Mortal): Promise<void> => {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(20)) {
    const { data } = (await (await server.request('GET', '/agents')).json()) as { data: { name: string }[] }
    if (data.some(({ name }) => name === agent)) return
  }
  throw new Error(`no worker has brought ${agent}: ${worker.said()}`)
}

/** Each ends with what must be the same after every kill. */
export const workerStories: Record<string, { skip: string | false; tell: WorkerStory }> = {
  'reminders, a worker in Python': {
    skip: noPython,
    async tell({ start, launch }) {
      const world = await outside()
      const server = await start({
        // A person looks into the mail that was sent. A letter on its way arrives first.
        async onUnknownEffect({ name }) {
          await pause(100)
          const number = world.posts.findIndex(post => post.includes(`"${name.replace(' ', '": ')},`)) + 1
          return number === 0 ? undefined : number
        },
      })
      const worker = await launch(server, startReminders)
      try {
        await listed(server, 'reminders', worker)
        const more = { env: { MAIL_URL: `${world.url}/letters` }, agent_config: { wait_ms: 150 } }
        const task = await server.task('reminders', 'Invoice 7', more)
        await task.answer('They have paid.')
        return [await task.result(), world.posts]
      } finally {
        worker.stop()
        world.close()
      }
    },
  },
  'a shop with a worker beside Fastify': {
    skip: false,
    async tell({ start, launch }) {
      const server = await start()
      const { start: startShop, remove } = shop()
      const worker = await launch(server, startShop)
      try {
        await listed(server, 'order', worker)
        const task = await server.task('order', 'mug')
        const { arguments: asked } = await task.question()
        await task.answer('yes')
        return [asked, await task.result()]
      } finally {
        worker.stop()
        remove()
      }
    },
  },
}

/** Tells a story with all its kills. Rejects when one of them leads to another end. Resolves to the result and the number of kills. */
export const killWorkerEverywhere = async (tell: WorkerStory, every = 1) => {
  const launch: Deps['launch'] = (server, start) => mortalWorker(server, start)
  const survived = await killEverywhere(start => tell({ start, launch }), { of: ['server'], every })
  let { kills } = survived
  for (let n = 1; ; n += every) {
    let [isKilled, stop] = [() => false, async () => {}]
    const result = await tell({
      async start(options) {
        const server = await startTestServer(options)
        stop = server.stop
        return server
      },
      async launch(server, start) {
        const worker = await mortalWorker(server, start, n)
        isKilled = worker.isKilled
        return worker
      },
    }).finally(() => stop())
    if (!isKilled()) return { ...survived, kills }
    kills++
    deepStrictEqual(
      result,
      survived.result,
      `with the worker killed at piece ${n}, the story has another result`,
    )
  }
}
