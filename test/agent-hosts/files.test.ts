// The agents of a folder, each in a process of its own: what happens to their tasks when a host dies, freezes, sends
// garbage or is replaced.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { readAgentFolder } from '../../src/agent-hosts/folder.ts'
import { builtinNames } from '../../src/agents/names.ts'
import { until } from '../support/http.ts'
import { givenHosts } from './support/hosts.ts'
import { createTake } from './support/take.ts'
import { fakeTask } from './support/task.ts'

const good = { description: 'Finds things.', parameters: { type: 'object' } }

t.test('a folder names its agents by its files, and says which names are wrong', async t => {
  const folder = t.testdir({
    ...{ 'good.mjs': '', 'other-1.py': '', '_shared.mjs': '', 'types.d.ts': '', 'notes.md': '', sub: {} },
    ...{ 'Good.ts': '', 'echo.js': '', 'good.py': '', '.hidden.js': '' },
  })
  const { agents, problems } = readAgentFolder(folder, builtinNames)
  t.same(
    agents.map(({ name }) => name),
    ['good', 'other-1'],
  )
  t.match(problems, [
    { file: 'Good.ts', problem: /has the name "Good": an agent has a name of/ },
    { file: 'echo.js', problem: /the built-in agent echo: rename/ },
    { file: 'good.py', problem: /good\.mjs are both the agent good: rename/ },
  ])
})

t.test('a task runs on the host of its file, and a file that cannot be loaded disturbs no other', async t => {
  const { agents, info, problemOf, isUp, lines } = await givenHosts(t, {
    'good.mjs': good,
    'broken.mjs': { failed: 'SyntaxError: Unexpected token' },
  })
  const task = fakeTask(agents, { text: 'a key', version: '' })
  await until(() => task.entries.length === 1)
  task.give(1)
  await until(() => task.outcome() !== undefined)
  t.same(task.outcome(), { answer: 'a key: found 1' })
  t.match(info('good'), { ...good, kind: 'function', source: 'good.mjs', version: /^[\w-]{16}$/ })
  t.same(task.versions, [info('good')?.version])
  t.ok(isUp('good'))
  await until(() => info('broken')?.error !== undefined)
  t.match(info('broken')?.error, /^broken\.mjs: SyntaxError: Unexpected token$/)
  t.match(problemOf('broken', 'anna'), /Unexpected token/)
  t.equal(problemOf('good', 'anna'), undefined)
  t.same(agents.names('anna').sort(), ['broken', 'good'])
  t.equal(agents.isServed('broken', 'anna'), false)
  t.equal(lines.filter(({ message }) => message === 'an agent cannot be loaded').length, 1)
})

t.test('what a host prints goes to the log by lines, without the values of variables', async t => {
  const { agents, lines } = await givenHosts(t, { 'good.mjs': good })
  const task = fakeTask(agents, { text: 'print', vars: { KEY: 'swordfish' } })
  const printed = () => lines.find(({ fields }) => fields?.line !== undefined)
  await until(() => printed() !== undefined)
  t.same(printed()?.fields, { agent: 'good', line: 'the secret is ***' })
  task.stop('canceled')
})

const ends: [string, RegExp][] = [
  ['die', /the host of the agent ended by itself with exit code 3/],
  ['garbage', /does not speak the protocol: it sent what is no JSON: “this is no message”/],
  ['freeze', /did not answer for 3 s \(AGENT_STALL_MS\)/],
  ['memory', /needed more than 256 MiB of memory/],
]
for (const [text, why] of ends) {
  t.test(`a host that does “${text}” is ended and started again, and its tasks begin again`, async t => {
    const { agents, running } = await givenHosts(
      t,
      { 'good.mjs': good },
      text === 'freeze' ? { stallMs: 3000 } : {},
    )
    const other = fakeTask(agents, { text: 'other' })
    await until(() => other.entries.length === 1)
    const task = fakeTask(agents, { text, again: false })
    await until(() => task.ends.length === 1 && other.versions.length === 2)
    t.match(task.ends, [{ why: 'died', message: why }])
    t.match(other.ends, [{ why: 'lost', message: why }], 'the process has taken all with it')
    other.give(1)
    await until(() => other.outcome() !== undefined)
    t.same(other.outcome(), { answer: 'other: found 1' })
    t.equal(other.entries.length, 1, 'and nothing is asked twice')
    t.equal(running(), 1)
  })
}

t.test('a message that does not fit ends its task’s attempt alone, and the host goes on', async t => {
  const { agents, running } = await givenHosts(t, { 'good.mjs': good })
  const other = fakeTask(agents, { text: 'other' })
  await until(() => other.entries.length === 1)
  const task = fakeTask(agents, { text: 'gap', again: false })
  await until(() => task.ends.length === 1)
  t.match(task.ends, [{ why: 'died', message: /the entry 5, where 1 is the next/ }])
  other.give(1)
  await until(() => other.outcome() !== undefined)
  t.same(other.ends, [])
  t.equal(running(), 1)
})

t.test('a file takes over the name of a worker’s agent when this worker has left', async t => {
  const { agents, workers, write, list } = await givenHosts(t, {})
  const line = workers.connect('anna', {
    send: text => take(JSON.parse(text)),
    ...{ unsent: () => 0, pause: () => {}, resume: () => {}, ping: () => {}, cut: () => {} },
  })
  const hear = (message: object) => line.hear(Buffer.from(JSON.stringify(message)))
  const take = createTake((message: object) => queueMicrotask(() => hear(message)))
  hear({ type: 'hello', protocol: 1, agents: [{ name: 'good' }] })
  await until(() => list('anna').length === 1)
  write('good.mjs', good)
  await until(() => agents.find('good', 'ben')?.description !== undefined)
  t.match(list('anna'), [{ name: 'good', source: 'worker' }])
  t.match(list('ben'), [{ name: 'good', source: 'good.mjs' }])
  t.match(list(undefined), [{ source: 'good.mjs' }, { source: 'worker', user_id: 'anna' }])
  t.same(agents.names('anna'), ['good'])
  line.closed()
  for (const user of ['anna', undefined]) t.match(list(user), [{ source: 'good.mjs' }])
  const task = fakeTask(agents, { isOwn: true })
  await until(() => task.entries.length === 1)
})

t.test('a changed file takes over between two turns, and a broken change replaces nothing', async t => {
  const { agents, write, info, running } = await givenHosts(t, { 'good.mjs': good })
  const waits = fakeTask(agents, { text: 'waits', version: '' })
  await until(() => waits.entries.length === 1)
  write('good.mjs', { failed: 'SyntaxError: half a file' })
  await until(() => info('good')?.error !== undefined)
  t.equal(waits.ends.length, 0)
  t.equal(agents.isServed('good', 'anna'), true)
  write('good.mjs', { ...good, description: 'Finds more.' })
  await until(() => waits.versions.length === 2)
  t.match(waits.ends, [{ why: 'released', message: 'the file of the agent has changed' }])
  t.not(waits.versions[0], waits.versions[1])
  t.match(info('good'), { description: 'Finds more.', version: waits.versions[1] })
  t.equal(info('good')?.error, undefined)
  waits.give(1)
  await until(() => waits.outcome() !== undefined)
  t.same(waits.outcome(), { answer: 'waits: found 1' })
  await until(() => running() === 1)
})

t.test('the tasks of a file that was removed wait until it is there again', async t => {
  const { agents, folder, write, info, running } = await givenHosts(t, { 'good.mjs': good })
  const task = fakeTask(agents)
  await until(() => task.entries.length === 1)
  rmSync(path.join(folder, 'good.mjs'))
  await until(() => running() === 0)
  t.match(task.ends, [{ why: 'released', message: 'the file of the agent was removed' }])
  t.equal(info('good'), undefined)
  t.equal(agents.find('good', 'anna'), undefined)
  write('good.mjs', good)
  await until(() => task.versions.length === 2)
  task.give(1)
  await until(() => task.outcome() !== undefined)
})

t.test('hosts end with the server, by SIGTERM and by SIGKILL', async t => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const top = mkdtempSync(path.join(tmpdir(), 'reprise-agents-'))
    t.teardown(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
    const server = spawn(process.execPath, [path.join(import.meta.dirname, 'support/server.mts'), top], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = (await once(server.stdout, 'data')) as [Buffer]
    const pids = said.toString().trim().split(' ').map(Number)
    t.equal(pids.length, 2)
    const isAlive = (pid: number) => {
      try {
        return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      } catch {
        return false
      }
    }
    t.same(pids.filter(isAlive), pids)
    server.kill(signal)
    await once(server, 'exit')
    await until(() => !pids.some(isAlive))
  }
})
