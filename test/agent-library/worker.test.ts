// A worker over a real WebSocket: what it needs to be accepted, and what it does when the connection ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import tap from 'tap'
import { agent } from '../../library/agent/definition.ts'
import type { Context } from '../../library/agent/types.ts'
import { WorkerRefused, worker } from '../../library/agent/worker.ts'
import { beginOf, workerServer } from './support/peer.ts'

const echo = async (ctx: Context) => ctx.tool('echo', { text: ctx.input.text })
const options = { token: 'secret', agents: { echo }, signals: false }
const welcome = { type: 'welcome', agents: ['echo'] }

tap.test('a worker is accepted, with the names that the server takes', async t => {
  const server = await workerServer(t)
  const isThere = worker({ ...options, url: `${server.url}/v1/`, name: 'billing-1', slots: 3, version: '7' })
  const connection = await server.connection()
  t.match(await connection.next(), {
    type: 'hello',
    protocol: 1,
    name: 'billing-1',
    slots: 3,
    agents: [{ name: 'echo', kind: 'function', version: '7' }],
  })
  connection.send({
    ...welcome,
    refused: [{ name: 'model', reason: 'the name belongs to a built-in agent' }],
  })
  const { refused, stop } = await isThere
  t.same(refused, [{ name: 'model', reason: 'the name belongs to a built-in agent' }])
  connection.send(beginOf('echo'))
  t.match(await connection.next(), { type: 'turn', moves: [{ do: 'tool', arguments: { text: 'hi' } }] })
  connection.send(beginOf('nobody', { lease: 'l_2' }))
  t.same(await connection.next(), { type: 'release', lease: 'l_2', reason: 'this host has no agent nobody' })
  connection.send({ type: 'ping' })
  t.same(await connection.next(), { type: 'pong' })
  await stop()
  t.same(await connection.next(), { type: 'stopping' })
  t.match(await connection.next(), { type: 'release', lease: 'l_1' })
})

tap.test('a token that is refused, and agents that are all refused, reject', async t => {
  for (const status of [401, 403]) {
    const server = await workerServer(t, { status })
    await t.rejects(worker({ ...options, url: server.url, token: 'wrong' }), {
      constructor: WorkerRefused,
      status,
      message: /refuses the token of this worker \(40.: the token is not valid\. make one\)/,
    })
  }
  const server = await workerServer(t)
  const refused = worker({ ...options, url: server.url })
  const connection = await server.connection()
  connection.send({
    type: 'welcome',
    agents: [],
    refused: [{ name: 'echo', reason: 'the name belongs to a built-in agent' }],
  })
  await t.rejects(refused, {
    message: /refuses every agent of this worker \(echo: the name belongs to a built-in agent\)/,
  })
})

tap.test('options that cannot work reject at once', async t => {
  const url = 'http://127.0.0.1:1'
  await t.rejects(worker({ ...options, url: 'nowhere' }), /needs the url of the server/)
  await t.rejects(worker({ ...options, url, token: '' }), /needs a token with the role worker/)
  await t.rejects(worker({ ...options, url, slots: 10_001 }), /must be a whole number from 1 to 10000/)
  await t.rejects(worker({ ...options, url, name: 'x'.repeat(129) }), /the name of a worker must be text/)
  await t.rejects(worker({ ...options, url, agents: { 'No name': async () => 1 } }), /is no name of an agent/)
  const parameters = { text: 'x'.repeat(2 << 20) }
  await t.rejects(
    worker({ ...options, url, agents: { long: agent(async () => 1, { parameters }) } }),
    /have 2097\d+ bytes of descriptions, parameters and charts, more than 1048576/,
  )
  await t.rejects(worker({ ...options, url, slots: 0 }), /slots of worker\(\) must be a whole number/)
  await t.rejects(worker({ ...options, url, agents: {} }), /needs agents/)
  await t.rejects(
    worker({ ...options, url, agents: { x: 5 as never } }),
    /the agent x: an agent must be a function, a machine/,
  )
})

tap.test('a worker waits for a server that is away, and comes back to one that was', async t => {
  const first = await workerServer(t)
  const { port, url } = first
  await first.close()
  const isThere = worker({ ...options, url })
  await sleep(100)
  const second = await workerServer(t, { port })
  const connection = await second.connection()
  await connection.next()
  connection.send(welcome)
  const { stop } = await isThere
  connection.send(beginOf('echo'))
  await connection.next()
  connection.socket.terminate()
  const again = await second.connection()
  t.match(await again.next(), { type: 'hello' }, 'it connects again')
  again.send(welcome)
  again.send({ type: 'results', lease: 'l_1', results: [{ n: 1, at: 1, value: { text: '' } }] })
  await sleep(50)
  t.equal(again.waiting(), 0, 'the lease has ended with the connection')
  again.send(beginOf('echo', { lease: 'l_2' }))
  t.match(await again.next(), { lease: 'l_2', moves: [{ n: 1 }] })
  await stop()
})

const program = `
import { worker } from ${JSON.stringify(new URL('../../library/agent/index.ts', import.meta.url).href)}
const agents = { slow: ctx => ctx.run('slow', () => new Promise(done => setTimeout(done, 300, 'done'))) }
await worker({ url: process.argv[1], token: 'secret', agents })
process.stdout.write('ready')
`

tap.test('SIGTERM lets a run end, hands the lease back, and ends the process', async t => {
  const server = await workerServer(t)
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program, server.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const connection = await server.connection()
  await connection.next()
  connection.send({ type: 'welcome', agents: ['slow'] })
  await once(child.stdout, 'data')
  connection.send(beginOf('slow'))
  await connection.next()
  connection.send({ type: 'run', lease: 'l_1', n: 1 })
  await sleep(100)
  child.kill('SIGTERM')
  t.same(await connection.next(), { type: 'stopping' })
  t.match(await connection.next(), { moves: [{ do: 'ran', of: 1, value: 'done' }] })
  t.match(await connection.next(), { type: 'release', lease: 'l_1' })
  const [, signal] = await once(child, 'exit')
  t.equal(signal, 'SIGTERM')
})
