// A call with its arguments and its result.
import type { ToolCallItem, ToolResultItem } from '../../src/contract/wire.ts'
import { at } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { duration } from '../ui/time.tsx'
import { Blocks } from './blocks.tsx'
import { Content } from './content.tsx'
import type { Span } from './spans.ts'

/** Arguments as lines of JSON; half an object, while they are streamed, as they are. */
const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
/** The arguments in one line. */
const brief = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 90 ? `${line.slice(0, 90)}…` : line
}

type Props = {
  call: ToolCallItem
  result: ToolResultItem | undefined
  span: Span | undefined
  isWaiting: boolean
}

const stateOf = ({ result, span, isWaiting }: Omit<Props, 'call'>): string => {
  if (isWaiting) return 'waits for an answer'
  if (result?.status === 'incomplete') return span?.outcome === 'stopped' ? 'stopped' : 'failed'
  if (result !== undefined && result.status !== 'in_progress')
    return span?.toMs === undefined ? 'done' : duration(span.toMs - span.fromMs)
  return span === undefined ? 'not run' : (span.outcome ?? 'running')
}

export const ToolCard = ({ call, result, span, isWaiting }: Props) => {
  const state = stateOf({ result, span, isWaiting })
  return (
    <details class={`tool${result?.status === 'incomplete' ? ' trouble' : ''}`} open={isWaiting}>
      <summary>
        <b>{call.name}</b>
        <code class="brief">{brief(call.arguments)}</code>
        <small>{state}</small>
      </summary>
      <div class="tool-body">
        <h3>Arguments</h3>
        <pre>{pretty(call.arguments)}</pre>
        {span?.child !== undefined && (
          <a href={hrefOf(`/tasks${at(span.child)}`)}>Open the task of the subagent</a>
        )}
        {result !== undefined && (
          <>
            <h3>Result</h3>
            <Content content={result.message_content} />
            <Blocks blocks={result.block_list} />
          </>
        )}
      </div>
    </details>
  )
}
