// Warnings of Node.js: in the log of the server, each is a line like the others.
import tap from 'tap'
import { sleep as sleepOf } from '../../src/platform/sleep.ts'
import { realWorld } from '../../src/platform/world.ts'
import { spawnServer } from '../support/server.ts'
import { until } from './wire.ts'

/** A module that makes Node.js warn again and again, while the server runs. */
const warning = (text: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`setInterval(() => process.emitWarning(${JSON.stringify(text)}, 'OddWarning'), 200).unref()`)}`

tap.test('a warning of Node.js is a line of the JSON log', async t => {
  const server = await spawnServer(t, t.testdir(), { NODE_OPTIONS: warning('something is odd') })
  await until('the warning', () => server.stderr().includes('"warning":"OddWarning"'))
  await new Promise(resolve => setTimeout(resolve, 500))
  const lines = server
    .stderr()
    .split('\n')
    .filter(line => line.includes('something is odd'))
  const inTime = lines.filter(line => line.startsWith('{'))
  t.match(JSON.parse(inTime[0] ?? ''), {
    level: 'warn',
    message: 'Node.js warns: something is odd',
    warning: 'OddWarning',
    stack: /OddWarning: something is odd/,
  })
  t.notMatch(server.stderr().slice(server.stderr().indexOf('{')), /^\(node:/m, 'none is plain text')
  t.same(await server.end('SIGTERM'), [0, null])
})

tap.test('an option of Node.js still turns a warning off', async t => {
  const server = await spawnServer(t, t.testdir(), {
    NODE_OPTIONS: `${warning('something is odd')} --disable-warning=OddWarning`,
  })
  await new Promise(resolve => setTimeout(resolve, 500))
  t.notMatch(server.stderr(), /something is odd/)
  t.same(await server.end('SIGTERM'), [0, null])
})

tap.test('many may sleep until one signal aborts, and Node.js warns of nothing', async t => {
  const warned: Error[] = []
  const hear = (one: Error) => void warned.push(one)
  process.on('warning', hear)
  t.teardown(() => process.off('warning', hear))
  const { timers } = realWorld()
  const stopping = new AbortController()
  const short = sleepOf(timers, 20, stopping.signal)
  const long = Array.from({ length: 50 }, () => sleepOf(timers, 60_000, stopping.signal))
  const late = setTimeout(() => {}, 1000) // sleeping keeps no process alive
  await short
  stopping.abort()
  await Promise.all(long)
  await sleepOf(timers, 60_000, stopping.signal)
  clearTimeout(late)
  t.same(warned, [])
})
