// A file as a host of its own: a real process, which is started with the path of the file.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tap from 'tap'
import '../support/built.ts'
import { beginOf, hostProcess } from './support/peer.ts'

// No node_modules is beside the files, or above them.
const folder = mkdtempSync(path.join(tmpdir(), 'agents-'))
cpSync(path.join(import.meta.dirname, 'files'), folder, { recursive: true })
const withEnum = 'enum Colour { red }\nexport default async () => Colour.red\n'
writeFileSync(path.join(folder, 'broken_enum.ts'), withEnum)
writeFileSync(path.join(folder, 'broken_syntax.mjs'), '\nexport default async ctx => {\n')
tap.teardown(() => rmSync(folder, { recursive: true }))
const file = (name: string) => path.join(folder, name)

tap.test('a file is served, and finds reprise/agent', async t => {
  const { send, next, child, exited } = hostProcess(t, file('greets.mjs'))
  t.same(await next(), {
    type: 'hello',
    protocol: 1,
    agents: [{ name: 'greets', kind: 'function', description: 'Greets.', parameters: { type: 'object' } }],
  })
  send(beginOf('greets'))
  t.match(await next(), { seen: 0, moves: [{ n: 1, do: 'tool', name: 'name_of', arguments: { id: 1 } }] })
  send({ type: 'results', lease: 'l_1', results: [{ n: 1, at: 1, value: { text: 'Ada' } }] })
  t.match(await next(), { outcome: { answer: 'Hello Ada' } })
  child.stdin.end()
  await exited
  t.pass('the process ends with its server')
})

tap.test(
  'a file of TypeScript is served without a loader, and its errors are those of the library',
  async t => {
    const { send, next, errors } = hostProcess(t, file('typed.ts'))
    t.match(await next(), { type: 'hello', agents: [{ name: 'typed' }] })
    send(beginOf('typed'))
    await next()
    send({
      type: 'results',
      lease: 'l_1',
      results: [{ n: 1, at: 1, error: { kind: 'tool', message: 'no' } }],
    })
    t.match(await next(), { outcome: { answer: 'nobody' } })
    t.equal(errors(), '')
  },
)

tap.test('a statechart and a function of CommonJS are served as they are', async t => {
  const chart = hostProcess(t, file('chart.mjs'))
  t.match(await chart.next(), { agents: [{ name: 'chart', kind: 'machine', machine: { id: 'door' } }] })
  chart.send(beginOf('chart'))
  t.match(await chart.next(), { machine: { value: 'closed', next_events: ['open'] } })
  const value = { id: 'm', text: '', content: '', event: { type: 'open' } }
  chart.send({ type: 'results', lease: 'l_1', results: [{ n: 1, at: 1, value }] })
  t.match(await chart.next(), { machine: { value: 'opened' }, outcome: { answer: 'opened' } })
  const bare = hostProcess(t, file('bare.js'))
  t.match(await bare.next(), { agents: [{ name: 'bare' }] })
  bare.send(beginOf('bare'))
  t.match(await bare.next(), { outcome: { answer: 'hi' } })
})

tap.test('what a file prints goes to standard error', async t => {
  const { send, next, errors } = hostProcess(t, file('prints.mjs'))
  await next()
  send(beginOf('prints'))
  t.match(await next(), { lease: 'l_1', outcome: { answer: 'hi' } })
  t.match(errors(), /this goes to the log/)
})

tap.test('an error that nothing catches ends its own task alone', async t => {
  const { send, next } = hostProcess(t, file('forgets.mjs'))
  await next()
  send(beginOf('forgets', { lease: 'good' }))
  t.match(await next(), { lease: 'good', moves: [{ n: 1 }] })
  send(beginOf('forgets', { lease: 'bad', input: { text: 'forget', content: 'forget', items: [] } }))
  let turn = await next()
  while (turn.outcome === undefined) turn = await next()
  t.match(turn, { lease: 'bad', outcome: { error: { message: 'nobody has caught this' } } })
  send({ type: 'results', lease: 'good', results: [{ n: 1, at: 1, value: { text: 'fine' } }] })
  t.match(await next(), { lease: 'good', outcome: { answer: 'fine' } })
})

const failures: [string, RegExp][] = [
  ['broken_syntax.mjs', /^SyntaxError: Unexpected end of input \(line \d\)$/],
  [
    'broken_import.mjs',
    /Cannot find package 'a-package-that-is-missing'.*: install the package in the folder of the file$/,
  ],
  ['broken_none.mjs', /^the file has no default export: write “export default agent/],
  ['broken_throws.mjs', /^Error: no key is set$/],
  ['broken_kind.mjs', /^an agent must be a function, a machine of XState 5/],
  ['broken_enum.ts', /enum.*: Node only removes types, so write it without enum/],
  ['broken_chart.mjs', /^the machine listens cannot be an agent: it invokes “.+”, which is a callback/],
  ['missing.mjs', /Cannot find module/],
]
for (const [name, message] of failures)
  tap.test(`${name} tells the server what is wrong, and ends`, async t => {
    const { next, exited } = hostProcess(t, file(name))
    const told = await next()
    t.match(told, { type: 'failed', message })
    t.same(await exited, [1, null])
  })

tap.test('SIGTERM hands the leases back', async t => {
  const { send, next, child, exited } = hostProcess(t, file('greets.mjs'))
  await next()
  send(beginOf('greets'))
  await next()
  child.kill('SIGTERM')
  t.same(await next(), { type: 'stopping' })
  t.match(await next(), { type: 'release', lease: 'l_1' })
  await exited
})
