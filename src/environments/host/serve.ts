// Answers the requests of the protocol with the methods of the hosted instance.
import { createHosted } from './hosted.ts'
import { jsonOf, messageOf } from './json.ts'
import type { Loaded } from './load.ts'

export const createServer = (classes: Loaded[], send: (text: string) => void) => {
  const hosted = createHosted(classes, send)

  const answer = async (id: number, method: string, params: never) => {
    try {
      const run = hosted.methodOf(method)
      if (run === undefined) throw new Error(`unknown method ${method}`)
      send(`{"id":${id},"result":${await run(params, id)}}`)
    } catch (error) {
      send(jsonOf({ id, error: { message: messageOf(error) } }))
    }
    if (method === 'close') process.exit(0)
  }

  /** Takes one message of the service. Unknown notifications are skipped. */
  return (line: string): void => {
    const { id, method, params } = JSON.parse(line)
    if (id !== undefined) void answer(id, method, params as never)
    else if (method === 'cancel') hosted.stopStep(params.id)
  }
}
