// Turns what an agent says into events: text that belongs together in one, every item and call with an id of ours.
import type { StepPart } from '../../src/contract/agent.ts'
import type { StepEvent } from '../../src/contract/commands.ts'
import type { Ids } from '../../src/contract/ports.ts'
import type { TextItemKind, TextPartKind } from '../../src/contract/task-events.ts'
import { isWholeJson } from '../../src/contract/whole-json.ts'

/** A delta that has so much text is followed by another. */
export const deltaCharacters = 2048
const isShort = ({ delta }: { delta: string }): boolean => delta.length < deltaCharacters

/** A call as it was said. */
export type SaidCall = { callId: string; name: string; arguments: string }

type OpenItem = {
  id: string
  item: TextItemKind
  /** The index of each part, by its kind. */
  parts: Map<TextPartKind, number>
}

/** `offered`: the list of the tools that the model was offered last. */
export const recorder = (agentStep: number, ids: Ids, offered?: string) => {
  let events: StepEvent[] = []
  let characters = 0
  let open: OpenItem | undefined
  const calls: SaidCall[] = []
  /** Calls that come bit by bit, by the agent's own name for them. */
  const growing = new Map<string, { itemId: string; call: SaidCall }>()
  let compressionId: string | undefined
  /** The text of the newest message, as it came. */
  let answer: string[] | undefined

  const close = (cut: { cut_off?: true } = {}) => {
    if (open === undefined) return
    const data = { agent_step: agentStep, item_id: open.id, parts: open.parts.size, ...cut }
    events.push({ type: 'ItemCompleted', data })
    open = undefined
  }
  const prefix = (item: TextItemKind) => (item === 'message' ? 'msg_' : 'rs_')

  const delta = ({ item, part, text, logprobs }: Extract<StepPart, { say: 'delta' }>) => {
    if (open !== undefined && open.item !== item) close()
    const opensItem = open === undefined
    open ??= { id: ids.next(prefix(item)), item, parts: new Map() }
    if (item === 'message') {
      if (opensItem || answer === undefined) answer = []
      answer.push(text)
    }
    const known = open.parts.get(part)
    const last = events.at(-1)
    if (
      known !== undefined &&
      last?.type === 'ItemDelta' &&
      last.data.item_id === open.id &&
      last.data.part === part &&
      isShort(last.data)
    ) {
      last.data.delta += text
      if (logprobs !== undefined) last.data.logprobs = [...(last.data.logprobs ?? []), ...logprobs]
      return
    }
    // The parts of a message are one list; those of a reasoning item are two, summary and content.
    const content_index = known ?? (item === 'message' ? open.parts.size : 0)
    open.parts.set(part, content_index)
    events.push({
      type: 'ItemDelta',
      data: {
        agent_step: agentStep,
        item_id: open.id,
        content_index,
        ...(opensItem ? { item } : {}),
        part,
        ...(known === undefined ? { first: true as const } : {}),
        delta: text,
        ...(logprobs === undefined ? {} : { logprobs }),
      },
    })
  }

  const callDelta = (key: string, name: string, text: string) => {
    let known = growing.get(key)
    const opens = known === undefined
    if (known === undefined) {
      close()
      known = { itemId: ids.next('tc_'), call: { callId: ids.next('call_'), name, arguments: '' } }
      growing.set(key, known)
      calls.push(known.call)
    }
    const { itemId, call } = known
    call.arguments += text
    const last = events.at(-1)
    if (!opens && last?.type === 'ItemDelta' && last.data.item_id === itemId && isShort(last.data)) {
      last.data.delta += text
      return
    }
    events.push({
      type: 'ItemDelta',
      data: {
        agent_step: agentStep,
        item_id: itemId,
        content_index: 0,
        part: 'arguments',
        ...(opens ? { item: 'tool_call', first: true as const, call: { call_id: call.callId, name } } : {}),
        delta: text,
      },
    })
  }
  /** In the order in which they were opened: a call that opens closes the text before it. */
  const closeAll = (isCut = false) => {
    const cut = { cut_off: true as const }
    for (const { itemId, call } of growing.values()) {
      const isCutCall = isCut && !isWholeJson(call.arguments)
      if (isCutCall) calls.splice(calls.indexOf(call), 1)
      const data = { agent_step: agentStep, item_id: itemId, parts: 0, item: 'tool_call' as const }
      events.push({ type: 'ItemCompleted', data: { ...data, ...(isCutCall ? cut : {}) } })
    }
    growing.clear()
    close(isCut ? cut : {})
  }

  return {
    offer(stream: string) {
      if (stream === offered) return
      const changed = offered === undefined ? {} : { changed: true as const }
      offered = stream
      events.push({ type: 'ToolsOffered', data: { agent_step: agentStep, stream, ...changed } })
    },
    hear(said: Exclude<StepPart, { say: 'tools' }>) {
      if (said.say === 'call-delta') {
        if (said.text === '') return
        characters += said.text.length
        callDelta(said.call, said.name, said.text)
        return
      }
      if (said.say === 'delta') {
        if (said.text === '') return
        characters += said.text.length
        delta(said)
        return
      }
      if (said.say === 'compressing') {
        compressionId = ids.next('cmp_')
        const data = { agent_step: agentStep, compression_id: compressionId }
        events.push({ type: 'CompressionStarted', data })
        return
      }
      if (said.say === 'cut-off') return closeAll(true)
      close()
      if (said.say === 'call') {
        const call = { call_id: ids.next('call_'), name: said.name }
        calls.push({ callId: call.call_id, name: said.name, arguments: said.arguments })
        events.push({
          type: 'ItemSaid',
          data: {
            agent_step: agentStep,
            item_id: ids.next('tc_'),
            item: 'tool_call',
            part: 'arguments',
            texts: [said.arguments],
            call,
          },
        })
        return
      }
      const { item, part, texts } = said
      const item_id = ids.next(prefix(item))
      if (item === 'message') answer = texts
      events.push({ type: 'ItemSaid', data: { agent_step: agentStep, item_id, item, part, texts } })
    },
    close: () => closeAll(),
    answer: () => answer?.join(''),
    compressionId: () => compressionId,
    /** Those that were said whole. */
    calls: (): readonly SaidCall[] => calls,
    characters: () => characters,
    take(): StepEvent[] {
      const taken = events
      events = []
      characters = 0
      return taken
    },
  }
}
