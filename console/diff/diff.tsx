// Two tasks side by side: their items and their stored events, and where they begin to differ. Ids and times do not count.
import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Difference } from '../../src/contract/responses.ts'
import type { OutputItem } from '../../src/contract/wire.ts'
import { at } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { Content, Prose } from '../task/content.tsx'
import { connection } from '../ui/connection.tsx'
import { Empty, Failure, Loading } from '../ui/notice.tsx'

const names: Record<OutputItem['type'], string> = {
  message: 'message',
  reasoning: 'reasoning',
  tool_call: 'call',
  tool_result: 'result',
}

const ItemText = ({ item }: { item: OutputItem }) => {
  if (item.type === 'reasoning')
    return <Prose text={[...item.summary, ...(item.content ?? [])].map(({ text }) => text).join('\n\n')} />
  if (item.type === 'tool_call')
    return (
      <p>
        <b>{item.name}</b> <code>{item.arguments}</code>
      </p>
    )
  return <Content content={item.message_content} />
}

const Side = ({ item }: { item: OutputItem | null }) => (
  <td>
    {item === null ? (
      <small>nothing</small>
    ) : (
      <>
        <small>{names[item.type]}</small>
        <ItemText item={item} />
      </>
    )}
  </td>
)

type Fact = Difference['facts'][number]
const factText = (fact: Fact['left']): string => (fact === null ? '–' : `${fact.revision} ${fact.type}`)

const Pairs = ({ difference, left, right }: { difference: Difference; left: string; right: string }) => {
  const { items, facts, first_divergence } = difference
  const common = facts.findIndex(({ same }) => !same)
  return (
    <>
      <p class={`verdict ${first_divergence === null ? 'right' : 'wait'}`} role="status">
        {first_divergence === null
          ? 'The two tasks have the same history.'
          : `They have the same history up to frame ${first_divergence}, where they begin to differ.`}
      </p>
      <table class="diff panel">
        <caption>What was said</caption>
        <thead>
          <tr>
            {[left, right].map(id => (
              <th key={id} scope="col">
                <a href={hrefOf(`/tasks${at(id)}`)}>{id}</a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((pair, n) => (
            <tr key={`${n}`} class={pair.same ? '' : 'other'}>
              <Side item={pair.left} />
              <Side item={pair.right} />
            </tr>
          ))}
        </tbody>
      </table>
      {common >= 0 && (
        <table class="diff panel">
          <caption>Stored events from the first difference on, after {common} equal ones</caption>
          <tbody>
            {facts.slice(common).map((pair, n) => (
              <tr key={`${n}`} class={pair.same ? '' : 'other'}>
                <td>{factText(pair.left)}</td>
                <td>{factText(pair.right)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

/** `id`: the ids of the two tasks, with a slash between them. */
export const DiffView = ({ id }: { id: string }) => {
  const [left = '', right = ''] = id.split('/')
  const difference = useMemo(() => signal<Difference | undefined>(undefined), [id])
  const error = useMemo(() => signal<string | undefined>(undefined), [id])
  const load = () => {
    error.value = undefined
    api.send<Difference>('GET', `/tasks${at(left)}/diff${at(right)}`).then(
      found => {
        difference.value = found
      },
      (failure: Error) => {
        error.value = failure.message
      },
    )
  }
  useEffect(() => {
    connection.value = undefined
    document.title = 'Two tasks compared · Reprise'
    load()
  }, [id])
  const found = difference.value
  return (
    <main class="proof">
      <h1>Two tasks compared</h1>
      {found !== undefined && <Pairs difference={found} left={left} right={right} />}
      {found?.items.length === 0 && <Empty title="Nobody has said anything yet" />}
      {found === undefined && error.value === undefined && <Loading what="the comparison" />}
      {error.value !== undefined && <Failure error={error.value} retry={load} />}
    </main>
  )
}
