import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newFolder } from './support/folder.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { adminToken, startOurs } from './support/server.ts'

export const about = 'deliveries a second of one webhook with a backlog, against a bare loop of fetch'

/** An echo task gives six public events. */
const tasks = Number(process.env.TASKS ?? 300)
const events = tasks * 6
const body = JSON.stringify({
  type: 'TaskUpdated',
  timestamp: '2026-11-22T05:23:26.104Z',
  data: { task_id: 'task_1', session_id: 'sess_1', sequence_number: 7, changed: ['output'] },
})

/** A receiver in this process, which both sides call. */
const receive = async () => {
  let count = 0
  let isEnough = () => {}
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.end()
      if (++count === events) isEnough()
    })
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Resolves when all events have come. */
    all: (): Promise<void> =>
      new Promise(resolve => {
        count = 0
        isEnough = resolve
      }),
    close: () => void server.close().closeAllConnections(),
  }
}

export const run = async (): Promise<void> => {
  const receiver = await receive()
  const ours = await startOurs(newFolder('webhooks'), [], { ALLOW_PRIVATE_URLS: '1' })
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const call = async (method: string, where: string, given?: object) => {
    const asked = { method, headers, body: JSON.stringify(given ?? {}) }
    const answer = await fetch(`${ours.url}/v1${where}`, asked)
    if (!answer.ok) throw new Error(`${where}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
  const perSecond = async (send: () => Promise<unknown>): Promise<number> => {
    const all = receiver.all()
    const began = performance.now()
    await Promise.all([send(), all])
    return (events * 1000) / (performance.now() - began)
  }
  const withBacklog = async (): Promise<number> => {
    const { id } = await call('POST', '/webhooks', { url: receiver.url, enabled: false })
    for (let n = 0; n < tasks; n++)
      await call('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo' })
    const rate = await perSecond(() => call('PATCH', `/webhooks/${id}`, { enabled: true }))
    await call('DELETE', `/webhooks/${id}`)
    return rate
  }
  const bare = () =>
    perSecond(async () => {
      for (let n = 0; n < events; n++) {
        const answer = await fetch(receiver.url, { method: 'POST', headers, body })
        await answer.arrayBuffer()
      }
    })
  const { hook, loop } = await interleave({ hook: withBacklog, loop: bare })
  printRatio('webhook deliveries', hook, loop, { unit: 'per second', target: { atLeast: 0.5 } })
  await ours.stop()
  receiver.close()
}
