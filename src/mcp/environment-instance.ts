// Makes a connection to a server the instance of an environment: the session has the tools of the server.
import type { Instance, Observed, OpenObject, StepAnswer } from '../contract/environment.ts'
import type { MessageContent } from '../contract/wire.ts'
import { type AskedServer, askedServer, type Watch } from './asked-server.ts'
import type { Connections } from './connections.ts'
import { failedContent, wordsOf } from './content.ts'
import type { McpTool } from './reading/tool.ts'
import { type McpServer, withoutSecrets } from './server.ts'

const nothing = { blocks: [], observation: {}, reward: 0, terminated: false, truncated: false, info: {} }
const failed = (content: MessageContent, seen: Observed): StepAnswer => ({
  ...nothing,
  ...seen,
  status: 'incomplete',
  content,
  error: wordsOf(content) || 'the tool failed',
})

/** Makes a step from the call of a tool. */
const stepOf = async (
  asked: AskedServer,
  tool: McpTool,
  { args, before, watch }: { args: OpenObject; before: Observed; watch: Watch },
): Promise<StepAnswer> => {
  const result = await asked.call(tool, args, watch)
  // A call may change the tools. Its result counts, even if the server cannot be reached after the call.
  const after = await asked.observed().catch(() => before)
  if (typeof result === 'string') return failed(result, after)
  const { content, isError } = result
  if (!isError) return { ...nothing, ...after, status: 'completed', content }
  const masked = (text: string) => withoutSecrets(asked.server, text)
  return failed(failedContent(content, tool.name, masked), after)
}

type Deps = {
  /** The key of the connection. */
  id: string
  connections: Pick<Connections, 'tools' | 'call' | 'follow' | 'isOpen' | 'ended'>
  /** Connections that stay open although no task runs. */
  inUse: Set<string>
}

/** Connects to the server. Rejects with EnvironmentGone. */
export const openInstance = async (
  server: McpServer,
  { id, connections, inUse }: Deps,
): Promise<Instance> => {
  const asked = askedServer(server, id, connections)
  let isOver = false
  /** Whether a tool was called on the present connection. */
  let isUsed = false
  const close = async () => {
    if (isOver) return
    isOver = true
    inUse.delete(id)
    connections.ended(id)
  }
  inUse.add(id)
  await asked.observed().catch(async error => {
    await close()
    throw error
  })
  return {
    recovery: 'none',
    showsObservation: false,
    // The protocol has no reset, so a reset opens a new connection.
    async reset() {
      if (isUsed) connections.ended(id)
      isUsed = false
      return { ...(await asked.observed()), observation: {} }
    },
    async step({ tool: name, args }, watch) {
      asked.mustBeOpen()
      const before = await asked.observed()
      const tool = await asked.toolNamed(name)
      if (tool === undefined) return failed(`there is no tool "${name}" any more`, before)
      isUsed = true
      return stepOf(asked, tool, { args, before, watch })
    },
    async observe() {
      asked.mustBeOpen()
      return asked.observed()
    },
    snapshot: async () => undefined,
    restore: async () => {},
    close,
    gone: new Promise(() => {}), // a lost connection is noticed at the next request
  }
}
