// reprise usage: the tokens that tasks have used. It adds up what the tasks of a server say of themselves.
import type { TaskSummary } from '../../../library/client/index.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { tableOf } from '../terminal/table.ts'
import { plural } from '../terminal/terminal.ts'
import { type Asking, ask, perPage, print, printJson, timeOf } from './ask.ts'
import { queryOf, type TaskFilters } from './tasks.ts'

type Options = Asking & TaskFilters & { by: string }

const kinds = ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens', 'total_tokens'] as const
type Sum = { tasks: number } & Record<(typeof kinds)[number], number>

/** What a task is counted for. */
const keys: Record<string, (task: TaskSummary) => string> = {
  user: ({ user_id }) => user_id,
  agent: ({ metadata }) => String(metadata?.agent ?? '-'),
  session: ({ session_id }) => session_id,
  day: ({ created_at }) => timeOf(created_at).slice(0, 10),
}

const monthBegin = (now: Date): string =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString()

export const usage = async (options: Options): Promise<void> => {
  const { by, json } = options
  const keyOf = Object.hasOwn(keys, by) ? keys[by] : undefined
  if (keyOf === undefined) throw new CannotStart(`--by ${by} is none of ${Object.keys(keys).join(', ')}`)
  const since = options.since ?? monthBegin(new Date())
  const sums = new Map<string, Sum>()
  let tasksCounted = 0
  await ask(options, async ({ tasks }) => {
    const query = { ...queryOf({ ...options, since }), order: 'asc', limit: perPage } as const
    for await (const task of tasks.summaries(query)) {
      const key = keyOf(task)
      const none = Object.fromEntries(kinds.map(kind => [kind, 0])) as Omit<Sum, 'tasks'>
      const sum = sums.get(key) ?? { tasks: 0, ...none }
      sums.set(key, sum)
      sum.tasks++
      tasksCounted++
      // The list has no tasks of subagents: each task says what those have used that it has called.
      for (const used of [task.usage, task.metadata?.subagent_usage as TaskSummary['usage']])
        for (const kind of kinds) sum[kind] += Number(used?.[kind] ?? 0)
    }
  })
  if (json) {
    for (const [key, sum] of sums) printJson({ [by]: key, ...sum })
    return
  }
  const rows = [...sums].map(([key, sum]) => [
    key,
    String(sum.tasks),
    ...kinds.map(kind => String(sum[kind])),
  ])
  const names = [by, 'tasks', ...kinds.map(kind => kind.replace('_tokens', ''))].map(name =>
    name.toUpperCase(),
  )
  if (rows.length > 0) for (const line of tableOf([names, ...rows])) print(line)
  const until = options.until === undefined ? '' : ` and before ${options.until}`
  process.stderr.write(
    rows.length === 0
      ? `No task was created since ${since}${until} that fits.\n`
      : `Tokens of ${plural(tasksCounted, 'task')}, created since ${since}${until}. Deleted tasks are not counted.\n`,
  )
}
