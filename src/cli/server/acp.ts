// reprise acp: lets an editor work with the agents of a server. Only the protocol goes to stdout.
import { Readable, Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { serveEditor } from '../../doors/acp/agent.ts'
import { wordsOf } from '../terminal/values.ts'
import { mustFindServer, type Where } from './connection.ts'

type Options = Where & { agent?: string; approve?: string[] }

export const acp = async ({ agent, approve, ...where }: Options): Promise<void> => {
  const { askPatiently: ask, follow } = mustFindServer(where)
  const warn = (text: string): void => void process.stderr.write(`reprise: ${text}\n`)
  const onBroken = () => warn('the connection to the server broke; reconnecting')
  await serveEditor(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
    {
      server: { ask, follow: (id, how, use) => follow(id, { ...how, untilEnd: true, onBroken }, use) },
      agentId: agent,
      approve: approve === undefined ? undefined : wordsOf(approve),
      warn,
    },
  )
}
