// reprise erase: erases a task, a session or the data of a user. It asks a server.
import { CannotStart } from '../../contract/cannot-start.ts'
import type { ErasureAnswer } from '../../erasure/answer.ts'
import { plural } from '../terminal/terminal.ts'
import { type Asking, ask, print, printJson } from './ask.ts'

type EraseOptions = Asking & { reason: string; cascade?: true; user?: string }

const pathOf = (kind: string, id: string): string => {
  const name = encodeURIComponent(id)
  if (kind === 'task') return `/v1/tasks/${name}`
  if (kind === 'session') return `/v1/env/session/${name}`
  if (kind === 'user') return `/v1/users/${name}/data`
  throw new CannotStart(`${kind} cannot be erased: erase a task, a session or a user`)
}

const linesOf = ({ position, erased, not_erased }: ErasureAnswer): string[] => {
  const { tasks, env_sessions, cron_jobs } = erased
  const counts = [
    plural(tasks.length, 'task'),
    plural(env_sessions.length, 'environment session'),
    plural(cron_jobs.length, 'cron job'),
  ]
  return [
    `erased ${counts.join(', ')}, as position ${position} says`,
    ...tasks.map(id => `  task ${id}`),
    ...env_sessions.map(id => `  environment session ${id}`),
    ...cron_jobs.map(id => `  cron job ${id}`),
    ...(not_erased.length > 0 ? ['not erased:'] : []),
    ...not_erased.map(({ what, why }) => `  ${what}: ${why}`),
  ]
}

export const erase = async (kind: string, id: string, options: EraseOptions): Promise<void> => {
  const { reason, cascade, user, json } = options
  const path = pathOf(kind, id)
  const query = { erase: true, reason, cascade, user_id: user }
  const answer = await ask(options, client =>
    client.request<ErasureAnswer>({ method: 'DELETE', path, query }),
  )
  if (json) printJson(answer)
  else for (const line of linesOf(answer)) print(line)
}
