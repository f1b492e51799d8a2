// The views of the page of an export. The page has views only for its own streams and events.
import { isTaskStream, taskIdOf, taskStream } from '../../src/contract/task-stream.ts'
import { eventAt, streams } from './content.ts'

export type View =
  | { view: 'list' }
  | { view: 'verification' }
  | { view: 'stream'; stream: string }
  | { view: 'proof'; position: number }

/** The view at a path; undefined when the page does not have it. */
export const viewAt = (path: string): View | undefined => {
  if (path === '/') return { view: 'list' }
  if (path === '/verification') return { view: 'verification' }
  const [, kind = '', part = '', ...rest] = path.split('/')
  const id = decodeURIComponent(part)
  if (rest.length > 0) return undefined
  const stream = kind === 'tasks' ? taskStream(id) : kind === 'audit' ? id : undefined
  if (stream !== undefined) return streams.has(stream) ? { view: 'stream', stream } : undefined
  // In an export of the whole log, events have no hashes of their own, and so no proof of their own.
  const isProven = kind === 'proof' && eventAt(Number(id))?.hashes !== undefined
  return isProven ? { view: 'proof', position: Number(id) } : undefined
}

/** The path of the view of a stream. */
export const pathOf = (stream: string): string => {
  const [kind, id] = isTaskStream(stream) ? ['tasks', taskIdOf(stream)] : ['audit', stream]
  return `/${kind}/${encodeURIComponent(id)}`
}
