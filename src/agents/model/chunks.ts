// What an OpenAI-compatible endpoint sends, chunk by chunk, as what was said. Endpoints differ: reasoning has two
// names or stands in the text, calls come in pieces or whole, usage comes last or never.
import type { Usage } from '../../contract/wire.ts'
import { createThinkSplitter } from './think.ts'

export type Heard =
  | { kind: 'text' | 'reasoning' | 'refusal'; text: string }
  | { kind: 'call'; call: string; name: string; text: string }
export type HeardCall = { name: string; arguments: string }

type CallPiece = { index?: number; id?: string; function?: { name?: string; arguments?: string } }
type Message = {
  content?: string | null
  reasoning_content?: string | null
  reasoning?: string | null
  refusal?: string | null
  tool_calls?: CallPiece[] | null
}
export type Chunk = {
  choices?: { delta?: Message; message?: Message; finish_reason?: string | null }[]
  usage?: { prompt_tokens?: number; completion_tokens?: number; total_tokens?: number } | null
  error?: { message?: string } | string | null
}

const usageOf = (given: NonNullable<Chunk['usage']>): Usage => {
  const { prompt_tokens: input = 0, completion_tokens: output = 0 } = given
  return { input_tokens: input, output_tokens: output, total_tokens: given.total_tokens ?? input + output }
}

export const createReader = () => {
  const splitter = createThinkSplitter()
  /** `held` came before the name did. */
  const calls: { key: string; name: string; arguments: string; held: string }[] = []
  let usage: Usage | undefined
  let finish: string | undefined

  const hearCall = (piece: CallPiece, position: number): Heard[] => {
    // By index, else by id, else the one at hand; the first piece names the tool.
    const key = piece.index?.toString() ?? piece.id ?? calls.at(-1)?.key ?? String(position)
    let call = calls.find(known => known.key === key)
    if (call === undefined) {
      call = { key, name: '', arguments: '', held: '' }
      calls.push(call)
    }
    if (call.name === '') call.name = piece.function?.name ?? ''
    const text = piece.function?.arguments ?? ''
    call.arguments += text
    call.held += text
    if (call.name === '' || call.held === '') return []
    const said = { kind: 'call' as const, call: call.key, name: call.name, text: call.held }
    call.held = ''
    return [said]
  }

  return {
    hear(chunk: Chunk): Heard[] {
      if (chunk.usage) usage = usageOf(chunk.usage)
      const choice = chunk.choices?.[0]
      if (choice === undefined) return []
      finish = choice.finish_reason ?? finish
      const said = choice.delta ?? choice.message ?? {}
      const heard: Heard[] = []
      const thought = said.reasoning_content ?? said.reasoning
      if (thought) heard.push({ kind: 'reasoning', text: thought })
      if (said.content) heard.push(...splitter.hear(said.content))
      if (said.refusal) heard.push({ kind: 'refusal', text: said.refusal })
      for (const [position, piece] of (said.tool_calls ?? []).entries()) {
        heard.push(...hearCall(piece, position))
      }
      return heard
    },
    end: (): Heard[] => splitter.end(),
    finish: () => finish,
    usage: () => usage,
    calls: (): HeardCall[] => calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
  }
}
