// A call with its arguments and its result. What a tool gives is often no Markdown, so it is shown as it is.
import { useSignal } from '@preact/signals'
import type { ToolCallItem, ToolResultItem } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { readable } from '../ui/readable.ts'
import { Blocks } from './blocks.tsx'
import { Content, type Form, TextButtons } from './content.tsx'
import type { ItemEntry } from './entries.ts'

/** The arguments in one line. */
const brief = (text: string): string => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 90 ? `${line.slice(0, 90)}…` : line
}

const Result = ({ result }: { result: ToolResultItem }) => {
  const form = useSignal<Form>('text')
  const { message_content: content, status } = result
  return (
    <>
      <header>
        <h3>Result</h3>
        <TextButtons content={content} form={form} isGrowing={status === 'in_progress'} />
      </header>
      <Content content={content} as={form.value} isGrowing={status === 'in_progress'} />
      <Blocks blocks={result.block_list} />
    </>
  )
}

type Props = Pick<ItemEntry, 'result' | 'state' | 'isWaiting' | 'child'> & { call: ToolCallItem }

export const ToolCard = ({ call, result, state, isWaiting, child }: Props) => (
  <details class={`tool${result?.status === 'incomplete' ? ' trouble' : ''}`} open={isWaiting}>
    <summary>
      <b>{call.name}</b>
      <code class="brief">{brief(call.arguments)}</code>
      <small>{state}</small>
    </summary>
    <div class="tool-body">
      <h3>Arguments</h3>
      <pre>{readable(call.arguments)}</pre>
      {child !== undefined && (
        <a class="only-link" href={hrefOf(`/tasks${at(child)}`)}>
          Open the task of the subagent
        </a>
      )}
      {result !== undefined && <Result result={result} />}
    </div>
  </details>
)
