// Reads server-sent events.

export type SentEvent = { event: string; id: string | undefined; data: string }

/** The lines of a text that comes in pieces. A long line may come in many, which are joined once. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = []
  for await (const piece of pieces) {
    const lines = piece.split('\n')
    const last = lines.pop() ?? ''
    for (const line of lines) {
      yield begun.length === 0 ? line : [...begun, line].join('')
      begun = []
    }
    if (last !== '') begun.push(last)
  }
}

/** An event that is not complete when the text ends is dropped. `onComment`: called for each comment. */
export async function* eventsOf(
  pieces: AsyncIterable<string>,
  onComment: () => void,
): AsyncGenerator<SentEvent> {
  let fields: Record<string, string> = {}
  for await (const read of linesOf(pieces)) {
    const line = read.endsWith('\r') ? read.slice(0, -1) : read
    if (line === '') {
      const { event = 'message', id, data } = fields
      if (data !== undefined) yield { event, id, data }
      fields = {}
      continue
    }
    const [, name = '', value = ''] = line.match(/^([^:]*):? ?([\s\S]*)$/) ?? []
    if (name === 'data' && fields.data !== undefined) fields.data += `\n${value}`
    else if (name === '') onComment()
    else fields[name] = value
  }
}
