// Turns the output of an agent step into events. Text that belongs together shares an item; the server gives every item
// and call its id.
import type { StepPart } from '../../../src/contract/agent.ts'
import type { StepEvent } from '../../../src/contract/commands/commands.ts'
import type { CutEnd } from '../../../src/contract/events/task-events.ts'
import { canonical } from '../../../src/contract/json/canonical.ts'
import type { Ids } from '../../../src/contract/ports.ts'
import type { OddTool } from '../../../src/contract/wire.ts'
import { addArguments, addWholeCall, closeCalls } from './call-items.ts'
import { emptyDraft, type SaidCall } from './step-draft.ts'
import { addText, addWholeText, closeText } from './text-items.ts'

/** What the model was offered: the stream of the tool list, and the odd ones of its tools. */
type Offered = { stream: string | undefined; odd: readonly OddTool[] }

/** `last`: what the model was offered last. */
export const createRecorder = (agentStep: number, ids: Ids, last: Offered) => {
  let offered = last
  const draft = emptyDraft(agentStep, ids)
  let characters = 0
  let compressionId: string | undefined

  // The calls are closed first: an open text is always the newest item, because a new call closes the text before it.
  const close = (reason?: CutEnd) => {
    closeCalls(draft, reason)
    closeText(draft, reason)
  }
  const compress = () => {
    compressionId = ids.next('cmp_')
    const data = { agent_step: agentStep, compression_id: compressionId }
    draft.events.push({ type: 'CompressionStarted', data })
  }

  return {
    offer(stream: string, odd: OddTool[]) {
      const isChanged = offered.stream !== undefined && offered.stream !== stream
      if (stream === offered.stream && canonical(odd) === canonical(offered.odd)) return
      offered = { stream, odd }
      const changed = isChanged ? { changed: true as const } : {}
      const problems = odd.length === 0 ? {} : { odd }
      draft.events.push({
        type: 'ToolsOffered',
        data: { agent_step: agentStep, stream, ...changed, ...problems },
      })
    },
    hear(said: Exclude<StepPart, { say: 'tools' }>) {
      switch (said.say) {
        case 'delta':
        case 'call-delta':
          if (said.text === '') break
          characters += said.text.length
          if (said.say === 'delta') addText(draft, said)
          else addArguments(draft, said.call, said.name, said.text)
          break
        case 'item':
          addWholeText(draft, said)
          break
        case 'call':
          addWholeCall(draft, said.name, said.arguments)
          break
        case 'turn': {
          const { turn } = said
          draft.calls.push({ callId: ids.next('call_'), name: turn.name, arguments: '', turn })
          break
        }
        case 'cut-off':
          close(said.reason)
          break
        case 'compressing':
          compress()
      }
    },
    close: () => close(),
    answer: () => draft.answer?.join(''),
    compressionId: () => compressionId,
    /** The calls that the step makes. */
    calls: (): readonly SaidCall[] => draft.calls,
    /** The number of characters of streamed text that the next `take` returns. */
    characters: () => characters,
    /** The events since the last `take`. */
    take(): StepEvent[] {
      const taken = draft.events
      draft.events = []
      characters = 0
      return taken
    },
  }
}
export type Recorder = ReturnType<typeof createRecorder>
