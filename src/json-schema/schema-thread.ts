// The thread that compiles and runs callers' schemas. The server can end this thread in the middle of a check.
import { type MessagePort, workerData } from 'node:worker_threads'
import { threadGivesWay } from '../platform/threads/give-way.ts'
import { ownThread } from '../platform/threads/thread-time.ts'
import { remembering } from './cache.ts'
import { compile } from './compile.ts'
import { checkedValue } from './limits.ts'

/** Schema and value are JSON texts. Without a value, only the schema is checked. */
export type Request = { schema: string; value?: string }
/** `thread`: the name under which the system counts the run time of the thread. */
export type Reply = { ready: true; thread: string | undefined } | { problems: string[] }

// A compiled schema takes about 35 times the memory of its text.
const remembered = { texts: 100, characters: 1024 * 1024 }

const { port } = workerData as { port: MessagePort }
const answer = (reply: Reply) => port.postMessage(reply)
const compiled = remembering(remembered, text => compile(checkedValue(text)))

port.on('message', ({ schema, value }: Request) => {
  const known = compiled(schema)
  if ('problems' in known) {
    const why = value === undefined ? '' : 'the schema cannot be used: '
    return answer({ problems: known.problems.map(problem => why + problem) })
  }
  return answer({ problems: value === undefined ? [] : known.check(checkedValue(value)) })
})
threadGivesWay('all')
compiled('true') // loads code now; otherwise the first check would need the time for this
answer({ ready: true, thread: ownThread() })
