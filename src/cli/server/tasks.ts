// reprise tasks: lists, shows, moves and watches tasks. It asks a server.
import { type Task, type TaskStatus, type TaskSummary, textOf } from '../../../library/client/index.ts'
import { called } from '../terminal/called.ts'
import { fitted } from '../terminal/printer.ts'
import { type Common, openTerminal } from '../terminal/terminal.ts'
import { wholeNumber, wordsOf } from '../terminal/values.ts'
import { type Asking, ask, pageOf, print, printFirst, printJson, timeOf } from './ask.ts'
import { mustFindServer } from './connection.ts'
import { showTask } from './follow.ts'
import { isResting, waitOf } from './show.ts'

/** `since`, `until`: ISO 8601, or seconds since 1970. */
export type TaskFilters = { user?: string; session?: string; agent?: string; since?: string; until?: string }
type ListOptions = Asking &
  TaskFilters & {
    status?: string[]
    error?: string
    subtasks?: true
    asOf?: string
    order?: string
    after?: string
    limit: string
  }

/** The filters as the API names them. */
export const queryOf = ({ user, session, agent, since, until }: TaskFilters) => ({
  user_id: user,
  session_id: session,
  agent,
  created_after: since,
  created_before: until,
})

const agentOf = ({ metadata }: Pick<Task, 'metadata'>): string => String(metadata?.agent ?? '-')

const lineOf = (task: Task | TaskSummary): string => {
  const begin = [task.id, task.status.padEnd(14), timeOf(task.created_at), agentOf(task), ''].join('  ')
  return 'question' in task ? begin + fitted(begin, task.question, process.stdout) : begin.trimEnd()
}

export const listTasks = (options: ListOptions): Promise<void> => {
  const { status, error, subtasks, asOf, order, after } = options
  const limit = wholeNumber('--limit', options.limit, [1, 100_000])
  const query = {
    ...queryOf(options),
    // The server says which words there are.
    status: status === undefined ? undefined : (wordsOf(status) as TaskStatus[]),
    error,
    include_subtasks: subtasks,
    as_of: asOf,
    order: order as 'asc' | 'desc' | undefined,
    starting_after: after,
    limit: pageOf(limit),
  }
  const isFiltered = Object.entries(query).some(([name, value]) => name !== 'limit' && value !== undefined)
  const none = isFiltered ? 'No task fits.' : `No tasks yet. ${called} try "what is 2+3*4?" makes one.`
  const printing = { lineOf, none, limit, idOf: ({ id }: { id: string }) => id }
  return ask(options, ({ tasks }) =>
    // The server gives no summaries of the past.
    asOf === undefined
      ? printFirst<Task | TaskSummary>(tasks.summaries(query), options, printing)
      : printFirst(tasks.list(query), options, printing),
  )
}

const usageText = ({ usage }: Task): string | undefined =>
  usage?.total_tokens === undefined
    ? undefined
    : `${usage.total_tokens} (${usage.input_tokens ?? 0} in, ${usage.output_tokens ?? 0} out)`

const linesOf = (task: Task): string[] => {
  const parent = task.metadata?.parent_task_id
  const { error } = task
  const rows: [string, string | undefined][] = [
    ['agent', agentOf(task)],
    ['session', task.session_id],
    ['user', task.user_id],
    ['created', timeOf(task.created_at)],
    ['part of', parent === undefined ? undefined : String(parent)],
    ['tokens', usageText(task)],
    ['error', error === undefined ? undefined : `${error.message} (${error.code})`],
    ['waits', isResting(task) ? waitOf(task).about : undefined],
  ]
  const text = textOf(task)
  return [
    `${task.id}  ${task.status}`,
    ...rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(8)} ${value}`])),
    ...(text === '' ? [] : ['', text]),
  ]
}

export const getTask = async (id: string, options: Asking & { asOf?: string }): Promise<void> => {
  const task = await ask(options, ({ tasks }) =>
    tasks.get(id, options.asOf === undefined ? {} : { as_of: options.asOf }),
  )
  if (options.json) printJson(task)
  else for (const line of linesOf(task)) print(line)
}

const moveTask =
  (move: 'cancel' | 'pause' | 'resume') =>
  async (id: string, options: Asking): Promise<void> => {
    const task = await ask(options, ({ tasks }) => tasks[move](id))
    if (options.json) printJson(task)
    else print(`${task.id}  ${task.status}`)
  }
export const cancelTask = moveTask('cancel')
export const pauseTask = moveTask('pause')
export const resumeTask = moveTask('resume')

export const watchTask = async (id: string, options: Asking & Common & { after?: string }): Promise<void> => {
  const after = options.after === undefined ? undefined : wholeNumber('--after', options.after, [0, 1e15 - 1])
  const printer = openTerminal(options)
  const server = mustFindServer(options)
  const json = options.json === true
  await server.ask(({ tasks }) => tasks.get(id)) // a mistake is told at once, and is not tried again
  const task = await showTask(id, {
    server,
    printer,
    json,
    after,
    untilEnd: true,
    async onWait(waiting) {
      const { words, requests } = waitOf(waiting)
      if (json) return false
      printer.line(words, 'plain')
      for (const { path, body } of requests) printer.line(server.curlOf(path, body), 'plain')
      return false
    },
  })
  process.exitCode = task.status === 'completed' ? 0 : 1
}
