// Reads lists of tools from the log. A reader from `toolListReader` reads each list only once.
import { toolListEvents } from '../contract/decoders/tool-list.ts'
import type { ToolDefinition } from '../contract/wire.ts'
import type { ReadStream } from './context.ts'

const listAt = async (read: ReadStream, stream: string): Promise<ToolDefinition[]> => {
  for await (const [event] of read(stream)) {
    if (event !== undefined) return toolListEvents.read(event).data.tools
  }
  throw new Error(`the log has no stream ${stream} with a list of tools`)
}

/** Returns a function that gives the tools of the list in a stream. Without a stream, it gives an empty list. */
export const toolListReader = (read: ReadStream) => {
  const known = new Map<string, Promise<ToolDefinition[]>>()
  return (stream: string | undefined): Promise<ToolDefinition[]> => {
    if (stream === undefined) return Promise.resolve([])
    const list = known.get(stream) ?? listAt(read, stream)
    known.set(stream, list)
    return list
  }
}
