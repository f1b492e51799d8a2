// Answers the requests of the protocol with the methods of the hosted instance.
import { readJson } from '../../contract/json/exact-json.ts'
import { createHosted } from './hosted.ts'
import { jsonOf, messageOf, plainOf } from './json.ts'
import type { Loaded } from './load.ts'

export const createHostServer = (classes: Loaded[], send: (text: string) => void) => {
  const hosted = createHosted(classes, send)

  const answer = async (id: number, method: string, params: unknown) => {
    try {
      const run = hosted.methodOf(method)
      if (run === undefined) throw new Error(`unknown method ${method}`)
      send(`{"id":${id},"result":${await run(plainOf(params) as never, id)}}`)
    } catch (error) {
      send(jsonOf({ id, error: { message: messageOf(error) } }))
    }
    if (method === 'close') process.exit(0)
  }

  /** Takes one message of the service. Unknown notifications are skipped. */
  return (line: string): void => {
    const { id, method, params } = readJson(line) as { id?: number; method: string; params: { id?: unknown } }
    if (id !== undefined) void answer(id, method, params)
    else if (method === 'cancel') hosted.stopStep(params.id)
  }
}
