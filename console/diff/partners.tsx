// Lists tasks with which a task can be compared: first its forks, its origin and other forks of it, then the newest.
import { useSignal } from '@preact/signals'
import type { Task } from '../../src/contract/wire.ts'
import { at, queryOf } from '../api/api.ts'
import { readPages } from '../api/read-pages.ts'
import { hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import type { Row } from '../home/rows.ts'
import { CutId } from '../ui/cut-id.tsx'
import { More } from '../ui/more.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'

/** How many of the newest tasks of the user are offered, and how many each press of the button adds. */
const perPage = 100

type Found = { of: Task; partners: Row[]; more: boolean }

const kinshipOf = ({ id, metadata }: Pick<Task, 'id' | 'metadata'>, row: Row): string | undefined => {
  if (row.metadata?.forked_from?.task_id === id) return 'fork of this task'
  const origin = (metadata?.forked_from as { task_id?: string } | undefined)?.task_id
  if (origin === undefined) return undefined
  if (origin === row.id) return 'this task is its fork'
  return row.metadata?.forked_from?.task_id === origin ? 'another fork' : undefined
}

const read = async (id: string, wanted: number, signal: AbortSignal): Promise<Found> => {
  const of = await api.ask<Task>('GET', `/tasks${at(id)}`, undefined, signal)
  const { found: rows, more } = await readPages<Row>(wanted, async last => {
    const query = queryOf({
      user_id: of.user_id,
      fields: 'summary',
      limit: perPage,
      starting_after: last?.id,
    })
    const found = await api.ask<Row[]>('GET', `/tasks${query}`, undefined, signal)
    return { found, more: found.length === perPage }
  })
  const others = rows.filter(row => row.id !== id)
  const [kin, rest] = [true, false].map(wanted =>
    others.filter(row => (kinshipOf(of, row) !== undefined) === wanted),
  )
  return { of, partners: [...(kin ?? []), ...(rest ?? [])], more }
}

const Partners = ({ of, partners }: Omit<Found, 'more'>) =>
  partners.length === 0 ? (
    <Empty title="There is no other task of this user" />
  ) : (
    <Table
      caption="Tasks of the same user, forks first"
      rows={partners}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Status', class: 'state', show: row => <Status status={row.status} /> },
        {
          title: 'Task',
          class: 'main',
          show: row => (
            <>
              <a href={hrefOf(`/diff${at(of.id)}${at(row.id)}`)}>
                {kinshipOf(of, row) ?? (row.question || row.id)}
              </a>
              {kinshipOf(of, row) !== undefined && <span class="why">{row.question}</span>}
            </>
          ),
        },
        { title: 'Id', class: 'less', show: row => <CutId id={row.id} /> },
        { title: 'Age', class: 'number age', show: row => <Ago at={row.created_at * 1000} /> },
      ]}
    />
  )

export const PartnersView = ({ id }: { id: string }) => {
  const wanted = useSignal(perPage)
  const reading = useReading(id, signal => read(id, wanted.value, signal))
  return (
    <Page title="Compare with which task?" above={{ path: `/tasks${at(id)}`, title: 'The task' }}>
      <Loaded reading={reading} what="task">
        {found => (
          <>
            <Partners {...found} />
            {found.more && (
              <More
                label="Show older tasks"
                more={() => {
                  wanted.value += perPage
                  reading.again()
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
