import type { StepEnd, StepInput, StepPart } from '../../contract/agent.ts'
import type { OutputItem } from '../../contract/wire.ts'
import { summaryBody } from '../../model-requests/request.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { ask } from './listen.ts'
import { account, failed } from './step-end.ts'

/** A step that asks a model for a summary, which replaces these items. `window`: the context of the model in tokens. */
export async function* sumUp(
  endpoint: ModelEndpoint,
  model: string,
  { request, signal }: StepInput,
  items: OutputItem[],
  window?: number,
): AsyncGenerator<StepPart, StepEnd> {
  yield { say: 'compressing' }
  const wanted = {
    model: request.agent_config?.compress_model ?? model,
    ...(window === undefined ? {} : { window }),
  }
  const heard = ask(endpoint, wanted, asked => summaryBody(asked, { request, items }), signal())
  let summary = ''
  for (;;) {
    const next = await heard.next()
    if (next.done) {
      if (summary.trim() === '') return failed('the model that sums up said nothing')
      const { end = 'length' } = next.value.call.response
      if (end !== 'length' && end !== 'unknown') {
        return failed(`the summary of the conversation is not whole (finish reason: ${end})`)
      }
      const compressed = { summary, items: items.flatMap(({ id }) => id ?? []) }
      return { end: 'continue', compressed, ...account(next.value) }
    }
    if (next.value.kind === 'text') summary += next.value.text
  }
}
