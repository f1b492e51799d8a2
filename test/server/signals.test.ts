// Signals of people, terminals and supervisors: some stop the server gracefully, and none ends it in the middle of a step.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { hasTerminal, startAtTerminal } from '../cli/support.ts'
import { apiOf, spawnServer } from '../support/server.ts'
import { serving, startBy } from './started-by.ts'
import { factsOf, storedEvents } from './stored-log.ts'
import { ask, play, sleep, until } from './wire.ts'

t.jobs = 2

const is = (wanted: string) => (type: string) => type === wanted
const hasStarted = (dataDir: string, id: string) => () => factsOf(dataDir, id).some(is('AgentStepStarted'))
/** The script of a task whose only step takes a while. */
const slowStep = [{ sleep_ms: 700 }]
const isComplete = (dataDir: string, id: string): boolean =>
  factsOf(dataDir, id).some(is('AgentStepCompleted')) && !factsOf(dataDir, id).some(is('AgentStepAbandoned'))

const stops: [NodeJS.Signals, string][] = [
  ['SIGTERM', 'systemd, Docker and Kubernetes stop it'],
  ['SIGINT', 'pm2 stops it'],
  ['SIGHUP', 'its terminal closes'],
  ['SIGQUIT', 'a supervisor asks for a graceful end, or somebody types Ctrl-\\'],
  ['SIGUSR2', 'nodemon restarts it'],
  ['SIGPWR', 'LXC stops its container'],
]
for (const [signal, who] of stops) {
  t.test(`${signal}, with which ${who}, lets the running step finish`, async t => {
    const dataDir = t.testdir()
    const server = await spawnServer(t, dataDir, { LOG_LEVEL: 'info' })
    const { id } = await play(server.api, slowStep)
    await until('the step runs', hasStarted(dataDir, id))
    t.same(await server.end(signal), [0, null])
    t.ok(isComplete(dataDir, id), 'the step is complete')
    t.match(server.stderr(), `"message":"the server stops","running_tasks":1,"signal":"${signal}"`)
    t.throws(() => readFileSync(path.join(dataDir, 'server.json')), 'the folder is closed')
  })
}

const others: [NodeJS.Signals[], string][] = [
  [['SIGUSR1'], 'Node would open a port for debuggers'],
  [['SIGPIPE'], 'a reader of its output has gone'],
  [['SIGWINCH'], 'the window of its terminal has another size'],
  [['SIGTSTP', 'SIGCONT'], 'somebody types Ctrl-Z, and then fg'],
  [['SIGURG'], 'the system tells of urgent data'],
]
for (const [signals, why] of others) {
  t.test(`after ${signals.join(' and ')} (${why}) it goes on`, async t => {
    const dataDir = t.testdir()
    const server = await spawnServer(t, dataDir)
    const { id } = await play(server.api, slowStep)
    await until('the step runs', hasStarted(dataDir, id))
    for (const signal of signals) {
      server.signal(signal)
      await sleep(50)
    }
    await until('the step is complete', () => isComplete(dataDir, id))
    t.equal((await server.api('GET', '/tasks')).status, 200)
    const said = server.stderr()
    t.notMatch(said, 'Debugger')
    if (signals[0] === 'SIGUSR1') t.match(said, 'SIGUSR1 is ignored: it would open a port for debuggers')
    else t.equal(said, '')
    t.same(await server.end('SIGTERM'), [0, null])
  })
}

/** An environment whose step makes a file, and takes 0.7 s. */
const slow = `import { writeFileSync } from 'node:fs'
export class Slow {
  constructor({ begun }) { this.begun = begun }
  reset() {}
  step() {
    writeFileSync(this.begun, '')
    return new Promise(done => setTimeout(done, 700, { content: 'done' }))
  }
  observe() { return {} }
  tools() { return [{ type: 'function', function: { name: 'go', parameters: { type: 'object' } } }] }
}`

for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2'] as const) {
  t.test(`${signal} for the whole process group leaves a step of an environment its process`, async t => {
    const folder = t.testdir({ data: {}, envs: { 'slow.mjs': slow } })
    const begun = path.join(folder, 'begun')
    const env = { ENV_PATH: path.join(folder, 'envs') }
    const server = await startBy(t, serving, path.join(folder, 'data'), env)
    const session_id = 'slow'
    const create = { session_id, env_class_path: 'slow#Slow', env_init_kwargs: { begun } }
    await ask(server.api, 'POST', '/env/create', create)
    const step = server.api('POST', '/env/step', { session_id, tool_name: 'go', tool_args: {} })
    await until('the step runs', () => existsSync(begun))
    process.kill(-server.pid, signal)
    t.equal((await step).status, 503, 'its caller may ask again later')
    t.same(await server.exited, [0, null])
    const types = storedEvents(path.join(folder, 'data')).map(({ type }) => type)
    t.ok(types.includes('EnvStepCompleted'), 'the step is complete')
    t.notOk(types.includes('EnvSessionClosed'), 'the session is not lost')
  })
}

t.test(
  'when its terminal is gone, the server drains and ends',
  { skip: !hasTerminal && 'no script' },
  async t => {
    const dataDir = t.testdir()
    const terminal = startAtTerminal(t, ['serve'], { PORT: '0', DATA_DIR: dataDir })
    await terminal.until(/^curl .+/m)
    const { url, pid } = JSON.parse(readFileSync(path.join(dataDir, 'server.json'), 'utf8'))
    const { id } = await play(apiOf(url), slowStep)
    await until('the step runs', hasStarted(dataDir, id))
    terminal.signal('SIGKILL') // the program that shows the terminal
    const isGone = () => {
      try {
        process.kill(pid, 0)
        return false
      } catch {
        return true
      }
    }
    await until('the server has ended', isGone)
    t.ok(isComplete(dataDir, id), 'the step is complete')
    t.throws(() => readFileSync(path.join(dataDir, 'server.json')), 'the folder is closed')
  },
)

t.test('a signal that the operator has given to Node keeps its meaning', async t => {
  const folder = t.testdir({ reports: {} })
  const reports = path.join(folder, 'reports')
  const NODE_OPTIONS = `--report-on-signal --report-signal=SIGUSR2 --report-exclude-network --report-directory=${reports}`
  const server = await spawnServer(t, path.join(folder, 'data'), { NODE_OPTIONS })
  server.signal('SIGUSR2')
  await until('Node reports', () => readdirSync(reports).length > 0)
  t.equal((await server.api('GET', '/tasks')).status, 200)
  t.same(await server.end('SIGTERM'), [0, null])
})
