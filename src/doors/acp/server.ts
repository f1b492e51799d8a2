// What the door asks of the server: it is a client of the API like any other.
import {
  AlreadyAnswered,
  type List,
  type Reprise,
  type Run,
  type Task,
  TaskNotFound,
  WrongState,
} from '../../../library/client/index.ts'

export type Server = {
  /** Sends requests. What can be repeated without harm is tried again while the server is away. */
  ask: <T>(use: (client: Reprise) => Promise<T>) => Promise<T>
  /** The frames of a task until it ends, also when the server is started again meanwhile. */
  follow: <T>(
    taskId: string,
    how: { after: number | undefined; signal: AbortSignal },
    use: (run: Run) => Promise<T>,
  ) => Promise<T>
}

/** A call that waits, as the task names it. */
export type Pending = {
  call_id: string
  name: string
  arguments: string
  metadata?: { approval?: boolean }
}

export const pendingIn = ({ metadata }: Task): Pending[] => (metadata?.pending_inputs ?? []) as Pending[]

/** The call of a task whose outcome is unknown; undefined: there is none, or the task does not wait for it. */
export const unknownCallIn = ({ status, metadata, output }: Task): Pending | undefined => {
  if (status !== 'paused' || metadata?.reason !== 'outcome_unknown') return undefined
  const { call_id } = metadata.effect as { call_id: string; name: string }
  const call = output.find(item => item.type === 'tool_call' && item.call_id === call_id)
  return call?.type === 'tool_call'
    ? call
    : { arguments: '', ...(metadata.effect as Omit<Pending, 'arguments'>) }
}

export const hasEnded = ({ status }: Pick<Task, 'status'>): boolean =>
  ['completed', 'failed', 'canceled', 'expired'].includes(status)

/** Resolves to false when it came too late: somebody else was faster, or the task has ended or is erased. */
export const inTime = (moved: Promise<unknown>): Promise<boolean> =>
  moved.then(
    () => true,
    error => {
      if ([AlreadyAnswered, WrongState, TaskNotFound].some(late => error instanceof late)) return false
      throw error
    },
  )

/** The first page of a list. */
export const firstPage = <T>(server: Server, list: (client: Reprise) => List<T>): Promise<T[]> =>
  server.ask(async client => {
    for await (const page of list(client).pages()) return page
    return []
  })
