// Reads server-sent events: the raw text, its lines, and the frames that a decoder makes from it.
import { createParser } from 'eventsource-parser'

export type Frame = { type: string; sequence_number: number; task_id: string } & Record<string, unknown>
export type SseEvent = { event: string | undefined; id: string | undefined; data: string }

/** Decodes a text. `complaints`: everything to which the decoder objects. */
export const decode = (text: string) => {
  const events: SseEvent[] = []
  const comments: string[] = []
  const complaints: string[] = []
  const parser = createParser({
    onEvent: ({ event, id, data }) => events.push({ event, id, data }),
    onComment: comment => comments.push(comment),
    onRetry: retry => complaints.push(`retry ${retry}`),
    onError: error => complaints.push(error.message),
  })
  parser.feed(text)
  return { events, comments, complaints }
}

export const framesOf = (text: string): Frame[] =>
  decode(text).events.map(({ data }) => (JSON.parse(data) as { result: Frame }).result)
export const dataLines = (text: string): string[] => text.split('\n').filter(line => line.startsWith('data:'))
/** The text, cut after each frame. A comment belongs to the frame that follows it. */
export const blocks = (text: string): string[] => text.match(/[\s\S]*?\n\n/g) ?? []

/** Reads a stream while it arrives. */
export const follow = async (response: Response | Promise<Response>) => {
  const opened = await response
  const reader = opened.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let over = false
  /** Reads one chunk. Resolves to false at the end of the stream, and rejects when the connection breaks. */
  const more = async (): Promise<boolean> => {
    const chunk = await reader?.read()
    if (chunk === undefined || chunk.done) over = true
    else text += decoder.decode(chunk.value, { stream: true })
    return !over
  }
  return {
    response: opened,
    text: () => text,
    frames: () => framesOf(text),
    more,
    /** Reads on until `wished` returns true for the frames and the text. Rejects at the end of the stream. */
    async until(wished: (frames: Frame[], text: string) => boolean): Promise<Frame[]> {
      while (!wished(framesOf(text), text)) {
        if (!(await more())) throw new Error(`the stream ended before what the test waits for: ${text}`)
      }
      return framesOf(text)
    },
    async rest(): Promise<string> {
      while (!over && (await more())) {}
      return text
    },
    /** Breaks the connection. */
    cut: async () => {
      await reader?.cancel().catch(() => {})
    },
  }
}
