// A data folder with one of everything that a bad start could lose, and the questions that show whether it is all there.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Api, launch, runReprise } from '../../support/server.ts'

const python = (recovery: string, more: string) => `
import helper
class Count:
    recovery = "${recovery}"
    def __init__(self, kwargs, given): self.n = helper.FIRST
    def reset(self, seed, options, context): self.n = helper.FIRST
    def step(self, tool, args, context):
        self.n += 1
        return {"content": str(self.n)}
    def observe(self): return {"n": self.n}
    def tools(self): return [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]
${more}`
const modules = {
  'helper.py': 'FIRST = 0\n',
  'refold.py': python('refold', ''),
  'snapshot.py': python(
    'snapshot',
    '    def snapshot(self): return self.n\n    def restore(self, data): self.n = data\n',
  ),
}

/** The folders of one server. */
export type Place = { data: string; envs: string }
/** The variables of a good start. */
export const goodEnv = ({ envs }: Place): Record<string, string> => ({
  ENV_PATH: envs,
  ALLOW_PRIVATE_URLS: '1',
  DRAIN_SECONDS: '0',
})

const read = async (answer: Promise<Response>) => {
  const response = await answer
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

const sessions = ['refold', 'snapshot', 'grid', 'sql', 'secret'] as const
type Session = (typeof sessions)[number]
const creates: Record<Session, object> = {
  refold: { env_class_path: 'refold#Count' },
  snapshot: { env_class_path: 'snapshot#Count' },
  grid: { env_id: 'gridworld' },
  sql: { env_id: 'sql', env_init_kwargs: { csv: { people: 'name,age\nAnn,41\n' } } },
  secret: { env_class_path: 'snapshot#Count', env_vars: { KEY: 'hush' } },
}
const steps: Record<Session, object> = {
  refold: { tool_name: 'add', tool_args: {} },
  snapshot: { tool_name: 'add', tool_args: {} },
  grid: { tool_name: 'look', tool_args: {} },
  sql: { tool_name: 'query', tool_args: { sql: 'SELECT name FROM people' } },
  secret: { tool_name: 'add', tool_args: {} },
}

const script = (...steps: object[]) => ({
  agent_config: { agent_id: 'script', script: steps },
  user_message_content: 'x',
  stream: false,
})

/** What must be there after the next good start. `steps`: how many steps each session has taken. */
export type Expected = { done: Map<string, unknown>; unfinished: string[]; steps: Record<Session, number> }

/** Takes one step of each session. Counts those whose whole answer came. */
export const stepEach = async (api: Api, { steps: taken }: Expected): Promise<void> => {
  for (const session_id of sessions) {
    const taking = read(api('POST', '/env/step', { session_id, ...steps[session_id] }))
    const { step } = await taking.catch(() => ({ step: undefined }))
    if (typeof step === 'number') taken[session_id] = step
  }
}

/** Makes the folders and everything in them. */
export const makePlace = async (root: string): Promise<{ place: Place; expected: Expected }> => {
  const place = { data: path.join(root, 'data'), envs: path.join(root, 'envs') }
  for (const folder of Object.values(place)) mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(modules)) writeFileSync(path.join(place.envs, name), text)
  const server = await launch(place.data, goodEnv(place))
  const { api } = server
  const expected: Expected = {
    done: new Map(),
    unfinished: [],
    steps: { refold: 0, snapshot: 0, grid: 0, sql: 0, secret: 0 },
  }
  for (let n = 0; n < 3; n++) {
    const { result } = await read(api('POST', '/tasks', script({ message: `answer ${n}` })))
    expected.done.set(result.id, (await read(api('GET', `/tasks/${result.id}`))).result)
  }
  for (const steps of [[{ sleep_ms: 3_600_000 }], [{ pause: 'tea' }]]) {
    const body = { ...script(...steps), background: true, env: { KEY: 'hush' } }
    expected.unfinished.push((await read(api('POST', '/tasks', body))).result.id)
  }
  for (const session_id of sessions)
    await read(api('POST', '/env/create', { session_id, ...creates[session_id] }))
  await stepEach(api, expected)
  await read(api('POST', '/webhooks', { url: 'http://127.0.0.1:9/', types: ['TaskCreated'] }))
  const cron = { name: 'new year', schedule: '0 0 1 1 *', task: { user_message_content: 'x' } }
  await read(api('POST', '/cron/jobs', cron))
  await server.end('SIGTERM')
  return { place, expected }
}

/** Starts the server as it should be, and returns what is not as expected. */
export const missing = async (place: Place, expected: Expected): Promise<string[]> => {
  const problems: string[] = []
  const server = await launch(place.data, goodEnv(place)).catch(error => String(error))
  if (typeof server === 'string') return [server]
  const { api } = server
  const look = async (what: string, work: () => Promise<string | undefined>) => {
    const problem = await work().catch(error => String(error))
    if (problem !== undefined) problems.push(`${what}: ${problem}`)
  }
  for (const [id, task] of expected.done)
    await look(`task ${id}`, async () => {
      const { result: now } = await read(api('GET', `/tasks/${id}`))
      return isDeepStrictEqual(now, task) ? undefined : `is now ${JSON.stringify(now)}`
    })
  for (const id of expected.unfinished)
    await look(`unfinished task ${id}`, async () => {
      const { status } = (await read(api('GET', `/tasks/${id}`))).result
      return ['working', 'paused'].includes(status) ? undefined : `is ${status}`
    })
  for (const session_id of sessions)
    await look(`session ${session_id}`, async () => {
      const { step, state } = await read(api('POST', '/env/step', { session_id, ...steps[session_id] }))
      // A step whose answer said that it failed may have been taken.
      const least = expected.steps[session_id] + 1
      expected.steps[session_id] = step
      if (step < least) return `took step ${step} in place of ${least}`
      return state.n === undefined || (state.n >= least && state.n <= step)
        ? undefined
        : `counts ${state.n} after step ${step}`
    })
  await look('webhooks', async () => {
    const { data } = await read(api('GET', '/webhooks'))
    return data.length === 1 && data[0].enabled === true ? undefined : JSON.stringify(data)
  })
  await look('cron jobs', async () => {
    const { data: jobs } = await read(api('GET', '/cron/jobs'))
    return jobs.length === 1 ? undefined : JSON.stringify(jobs)
  })
  await server.end('SIGTERM')
  await look('verify', async () => {
    const { code, stdout, stderr } = await runReprise(['verify', place.data])
    return code === 0 ? undefined : `${stdout}${stderr}`
  })
  return problems
}
