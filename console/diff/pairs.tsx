// The items and the stored events of two tasks, side by side.
import type { Difference } from '../../src/contract/responses.ts'
import type { OutputItem } from '../../src/contract/wire.ts'
import { at } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { Content, Prose } from '../task/content.tsx'

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

export const Pairs = ({
  difference,
  left,
  right,
}: {
  difference: Difference
  left: string
  right: string
}) => {
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
