// The other user: small tasks and steps at a modest rate, each timed, and all of it looked at again in the end.
import { read } from '../../support/http.ts'
import type { Api } from '../../support/server.ts'

export const kinds = ['echo', 'streamed echo', 'step'] as const
export type Kind = (typeof kinds)[number]
export const folder = 'home'
export const session = 'quiet-session'

const everyMs = 70
const patienceMs = 60_000

/** The value that so many of a hundred do not exceed. */
export const percentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN

export const createQuietUser = (api: Api, secret: string) => {
  const times: Record<Kind, number[]> = { echo: [], 'streamed echo': [], step: [] }
  const failures: string[] = []
  const tasks: string[] = []
  let steps = 0
  /** Calls under way; a step is asked for when the one before is answered. */
  let under = 0
  let isStepping = false

  const plays = async (...script: object[]): Promise<string> => {
    const agent_config = { agent_id: 'script', script }
    const body = { user_message_content: secret, stream: false, workspace_dir: folder, agent_config }
    const { status, text, body: answer } = await read(api('POST', '/tasks', body))
    if (status !== 200) throw new Error(`a task of the other user: ${status} ${text}`)
    tasks.push(answer.result.id)
    return text
  }
  const reading = { tool: 'read_file', arguments: { path: 'secret.txt' } }

  const doing: Record<Kind, () => Promise<string | undefined>> = {
    async echo() {
      const body = { user_message_content: secret, stream: false, client_id: 'echo' }
      const { status, text, body: answer } = await read(api('POST', '/tasks', body))
      if (status !== 200 || answer.result.status !== 'completed') return `${status} ${text}`
      tasks.push(answer.result.id)
      return undefined
    },
    async 'streamed echo'() {
      const body = { user_message_content: secret, stream: true, client_id: 'echo' }
      const response = await api('POST', '/tasks', body)
      const text = await response.text()
      if (response.status !== 200 || !text.includes('task.completed')) return `${response.status} ${text}`
      tasks.push(response.headers.get('x-task-id') ?? '')
      return undefined
    },
    async step() {
      const body = { session_id: session, tool_name: 'add', tool_args: { by: 1 } }
      const { status, text } = await read(api('POST', '/env/step', body))
      if (status !== 200) return `${status} ${text}`
      steps++
      return undefined
    },
  }

  const once = async (kind: Kind): Promise<void> => {
    const started = performance.now()
    under++
    if (kind === 'step') isStepping = true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>(resolve => {
      timer = setTimeout(resolve, patienceMs, `no answer in ${patienceMs / 1000} s`)
    })
    const problem = await Promise.race([doing[kind](), late]).catch(error => String(error.cause ?? error))
    clearTimeout(timer)
    under--
    if (kind === 'step') isStepping = false
    if (problem !== undefined) return void failures.push(`${kind}: ${problem.slice(0, 300)}`)
    const took = performance.now() - started
    times[kind].push(took)
    if (kind !== 'step') return
    // Steps wait for each other: those that would have been asked meanwhile would have waited for the rest of it.
    for (let late = took - everyMs; late > 0; late -= everyMs) times.step.push(late)
  }

  return {
    failures,
    /** Makes what must still be there in the end; the answer: a task of this user. */
    async prepare(counter: string): Promise<string> {
      await plays(
        { tool: 'write_file', arguments: { path: 'secret.txt', content: secret } },
        { message: 'kept' },
      )
      const made = await read(api('POST', '/env/create', { session_id: session, env_class_path: counter }))
      if (made.status !== 200) throw new Error(made.text)
      return tasks[0] ?? ''
    },
    /** Asks for each kind in turn, whether or not tasks were answered; then waits for the answers that are left. */
    async work(ms: number): Promise<void> {
      for (const end = performance.now() + ms; performance.now() < end; ) {
        for (const kind of kinds) {
          const waits = kind === 'step' && isStepping
          if (!waits) void once(kind)
          await new Promise(resolve => setTimeout(resolve, everyMs / kinds.length))
        }
      }
      while (under > 0) await new Promise(resolve => setTimeout(resolve, 10))
    },
    /** The times since it was asked last, sorted. */
    takeTimes(): Record<Kind, number[]> {
      const taken = { ...times }
      for (const kind of kinds) {
        taken[kind] = times[kind].sort((a, b) => a - b)
        times[kind] = []
      }
      return taken
    },
    /** What is not as this user left it. */
    async touched(): Promise<string[]> {
      const found: string[] = []
      const [file] = await Promise.all([plays(reading, { message: '$result' })])
      if (!file.includes(secret)) found.push(`its file holds something else: ${file}`)
      const { body, status } = await read(api('POST', '/env/observation', { session_id: session }))
      const { total } = (body as unknown as { state?: { total: number } }).state ?? {}
      if (status !== 200 || total !== steps)
        found.push(`its session counts ${total} after ${steps} steps (${status})`)
      const seen = new Set<string>()
      for (let after = ''; ; ) {
        const list = await read(
          api('GET', `/tasks?limit=100${after === '' ? '' : `&starting_after=${after}`}`),
        )
        const page = list.body.result as unknown as { id: string; status: string }[]
        for (const task of page) {
          seen.add(task.id)
          if (task.status !== 'completed') found.push(`its task ${task.id} is ${task.status}`)
        }
        if (page.length < 100) break
        after = page.at(-1)?.id ?? ''
      }
      for (const id of tasks) if (!seen.has(id)) found.push(`its task ${id} is not there`)
      if (seen.size !== tasks.length) found.push(`it made ${tasks.length} tasks and has ${seen.size}`)
      return found
    },
  }
}
