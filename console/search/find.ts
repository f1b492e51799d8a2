// What the search finds. The server is asked for tasks by a part of their id, by their user and by their session: it has
// indexes for these. It has none for the text of messages, so texts are looked for in the newest tasks, which are read
// for this.
import { signal } from '@preact/signals'
import type { TaskStatus } from '../../src/contract/wire.ts'
import { at, queryOf } from '../api/api.ts'
import { readPage } from '../api/listed.ts'
import { readPages } from '../api/read-pages.ts'
import { hrefOf } from '../api/router.ts'
import { allowed, api } from '../api/session.ts'
import type { Row } from '../home/rows.ts'
import { entries } from '../views.tsx'

export type Hit = { href: string; title: string; about?: string; status?: TaskStatus }
export type Group = { title: string; hits: Hit[] }

/** How many tasks are read at a time to look for texts in them. */
export const tasksAtOnce = 500
const perPage = 100
/** The most hits of one group. */
const most = 6

const hrefOfTask = (id: string): string => hrefOf(`/tasks${at(id)}`)
const list = (query: Record<string, string>): string => hrefOf('/', new URLSearchParams(query))
const hitOf = ({ id, question, status, user_id }: Row): Hit => ({
  href: hrefOfTask(id),
  title: question.trim() === '' ? id : question,
  about: user_id,
  status,
})

/** The newest tasks, as many as somebody wants to look through. */
export const createNewest = (abort: AbortSignal) => {
  const rows = signal<readonly Row[]>([])
  const hasMore = signal(true)
  const isReading = signal(false)
  return {
    rows,
    hasMore,
    isReading,
    /** Reads so many older tasks. Rejects with ApiError. */
    async more(): Promise<void> {
      if (isReading.value || !hasMore.value) return
      isReading.value = true
      try {
        const { found, more } = await readPages<Row>(tasksAtOnce, async last => {
          const starting_after = last?.id ?? rows.value.at(-1)?.id
          const query = queryOf({ fields: 'summary', limit: perPage, starting_after })
          const page = await api.ask<Row[]>('GET', `/tasks${query}`, undefined, abort)
          return { found: page, more: page.length === perPage }
        })
        rows.value = [...rows.value, ...found]
        hasMore.value = more
      } finally {
        isReading.value = false
      }
    },
  }
}

const fits = (text: string, ...values: (string | undefined)[]): boolean =>
  values.some(value => value?.toLowerCase().includes(text))

/** The tasks among these whose message, error, id, user or session has the text. */
export const amongNewest = (rows: readonly Row[], text: string): Group => {
  const wanted = text.toLowerCase()
  const found = rows.filter(row =>
    fits(wanted, row.question, row.error?.message, row.id, row.user_id, row.session_id),
  )
  const hits = found.slice(0, most).map(hitOf)
  return { title: text === '' ? 'Newest tasks' : 'Tasks', hits }
}

/** The views of the console whose names have the text, and the lists of tasks that a text can filter. */
export const viewsFor = (text: string): Group[] => {
  const views = entries
    .filter(({ title, access }) => allowed(access) && fits(text.toLowerCase(), title))
    .map(({ path, title }) => ({ href: hrefOf(path), title }))
  const errors = { href: list({ error: text }), title: `Failed tasks whose error has “${text}”` }
  return [{ title: 'Go to', hits: views }, ...(text.length < 3 ? [] : [{ title: 'Lists', hits: [errors] }])]
}

type Stream = { stream: string; owner: string; last_type: string }

/** The newest tasks whose id has this part. */
const byId = async (text: string, abort: AbortSignal): Promise<Group> => {
  const query = { search: text, order: 'desc', limit: perPage }
  const { data } = await readPage<Stream>(api, '/audit/streams', query, abort)
  const hits = data
    .filter(({ stream }) => stream.startsWith('task-') && stream.slice(5).includes(text.toLowerCase()))
    .slice(0, most)
    .map(({ stream, owner, last_type }) => ({
      href: hrefOfTask(stream.slice(5)),
      title: stream.slice(5),
      about: `${owner}, ${last_type}`,
    }))
  return { title: 'By id', hits }
}

const listed = (query: Record<string, string>, abort: AbortSignal): Promise<Row[]> =>
  api.ask<Row[]>('GET', `/tasks${queryOf({ ...query, fields: 'summary', limit: 3 })}`, undefined, abort)

const byUser = async (text: string, abort: AbortSignal): Promise<Group> => {
  const rows = await listed({ user_id: text }, abort)
  const all = { href: list({ user: text }), title: `All tasks of the user ${text}` }
  return { title: 'By user', hits: rows.length === 0 ? [] : [all, ...rows.map(hitOf)] }
}

const bySession = async (text: string, abort: AbortSignal): Promise<Group> => {
  const rows = await listed({ session_id: text }, abort)
  const [newest] = rows
  if (newest === undefined) return { title: 'By session', hits: [] }
  const query = new URLSearchParams({ user: newest.user_id })
  const conversation = {
    href: hrefOf(`/sessions${at(text)}`, query),
    title: `The conversation ${text}`,
    about: newest.user_id,
  }
  return { title: 'By session', hits: [conversation, ...rows.map(hitOf)] }
}

/** An id, or a part of one. */
const idLike = /^[\w.:-]{4,200}$/

/** What the server finds. Rejects with ApiError. */
export const askServer = (text: string, abort: AbortSignal): Promise<Group[]> =>
  Promise.all([
    ...(idLike.test(text) ? [byId(text, abort)] : []),
    ...(text === '' ? [] : [byUser(text, abort), bySession(text, abort)]),
  ])
