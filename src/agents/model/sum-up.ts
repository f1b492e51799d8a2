import { type Asked, summaryBody } from '../../chat/request.ts'
import type { StepEnd, StepInput, StepPart } from '../../contract/agent.ts'
import type { OutputItem } from '../../contract/wire.ts'
import type { Chunks } from './endpoint.ts'
import { listen } from './listen.ts'
import { account, failed } from './step-end.ts'

/** A step that asks a model for a summary, which replaces these items. */
export async function* sumUp(
  chunks: Chunks,
  model: string,
  { request, signal }: StepInput,
  items: OutputItem[],
): AsyncGenerator<StepPart, StepEnd> {
  yield { say: 'compressing' }
  const asked: Asked = { model: request.agent_config?.compress_model ?? model }
  const heard = listen(chunks, asked, summaryBody(asked, { request, items }), signal)
  let summary = ''
  for (;;) {
    const next = await heard.next()
    if (next.done) {
      if (summary.trim() === '') return failed('the model that sums up said nothing')
      const compressed = { summary, items: items.flatMap(({ id }) => id ?? []) }
      return { end: 'continue', compressed, ...account(next.value) }
    }
    if (next.value.kind === 'text') summary += next.value.text
  }
}
