// The methods of an ACP agent. A session of an editor is a chat session of the server, and each prompt is a task of it. The
// server keeps both, so an editor that was killed loads the session again, and hears how its task goes on.
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import {
  type AgentContext,
  agent,
  type ClientCapabilities,
  type ContentBlock,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type StopReason,
  type Stream,
} from '@agentclientprotocol/sdk'
import type { TaskBody } from '../../../library/client/index.ts'
import { version } from '../../platform/version.ts'
import { messageIn } from './content.ts'
import { toolsOf } from './editor-tools.ts'
import { inOrder } from './in-order.ts'
import { listSessions, type OwnMetadata, tellSession } from './past.ts'
import { firstPage, inTime, type Server } from './server.ts'
import { type Editor, type Session, sessionOf, type Unended } from './session.ts'
import { answerInWords, behind, followTurn } from './turn.ts'

export type Settings = {
  server: Server
  /** The agent of new tasks; undefined: the server chooses. */
  agentId: string | undefined
  /** Patterns of tools whose calls wait for an approval. */
  approve: readonly string[] | undefined
  /** Tells the user of the process, on stderr. */
  warn: (text: string) => void
}

type Http = Extract<McpServer, { type: 'http' }>
const isHttp = (server: McpServer): server is Http => 'type' in server && server.type === 'http'

/** The MCP servers of the editor that the server can reach. */
const mcpConfigOf = (servers: readonly McpServer[]) => ({
  mcpServers: Object.fromEntries(
    servers.filter(isHttp).map(({ name, url, headers }) => {
      const fields = Object.fromEntries(headers.map(header => [header.name, header.value]))
      return [name, { url, ...(headers.length === 0 ? {} : { headers: fields }) }]
    }),
  ),
})

const bodyOf = (
  { agentId, approve }: Settings,
  capabilities: ClientCapabilities,
  { id, cwd, mcpServers }: Session,
  prompt: readonly ContentBlock[],
): TaskBody => {
  const tools = toolsOf(capabilities)
  const metadata: OwnMetadata = { acp: { cwd } }
  return {
    user_message_content: messageIn(prompt),
    session_id: id,
    agent_config: {
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(approve === undefined ? {} : { approve: [...approve] }),
      ...(mcpServers.some(isHttp) ? { tool_mcp_config: mcpConfigOf(mcpServers) } : {}),
    },
    ...(tools.length === 0 ? {} : { client_tools: tools }),
    metadata,
  }
}

/** Otherwise the first prompt would be refused, by words for somebody who has written a request. */
const mustHaveAgent = async ({ agentId, server }: Settings): Promise<void> => {
  if (agentId === undefined) return
  const names = (await firstPage(server, ({ agents }) => agents.list())).map(({ name }) => name)
  if (names.includes(agentId)) return
  const known = [...new Set(names)].toSorted().join(', ')
  throw RequestError.invalidParams(
    undefined,
    `there is no agent ${JSON.stringify(agentId)}, which --agent names: the agents are ${known}`,
  )
}

/** An error as the editor shows it. */
const shown = (error: unknown): RequestError =>
  error instanceof RequestError ? error : new RequestError(-32603, (error as Error).message)

const telling =
  <Context, Answer>(handler: (context: Context) => Promise<Answer>) =>
  (context: Context): Promise<Answer> =>
    handler(context).catch(error => {
      throw shown(error)
    })

/** Serves one editor. Resolves when it has closed the connection; tasks go on. */
export const serveEditor = async (stream: Stream, settings: Settings): Promise<void> => {
  const { server, warn } = settings
  const sessions = new Map<string, Session>()
  let capabilities: ClientCapabilities = {}

  const editorAt = (client: AgentContext): Editor => ({
    client,
    capabilities,
    server,
    gone: connection.signal,
  })
  const mustKnow = (id: string): Session => {
    const session = sessions.get(id)
    if (session === undefined) throw RequestError.sessionNotFound(id)
    return session
  }
  const opened = (id: string, cwd: string, mcpServers: readonly McpServer[]): Session => {
    if (!path.isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, 'cwd must be an absolute path')
    const skipped = mcpServers.filter(each => !isHttp(each)).map(({ name }) => name)
    if (skipped.length > 0)
      warn(
        `these MCP servers are not used, since only those with an http address can be: ${skipped.join(', ')}`,
      )
    return sessionOf(id, cwd, mcpServers)
  }

  /** Stops what works for the session. What waits for the next prompt goes on waiting. */
  const cancel = async (session: Session): Promise<void> => {
    session.cancels++
    await Promise.all(
      [...session.running.keys()].map(id => server.ask(({ tasks }) => inTime(tasks.cancel(id)))),
    )
  }

  /**
   * Follows the tasks of the session that this process does not follow yet, such as those of an earlier process. Resolves when their
   * questions are asked.
   */
  const watch = async (editor: Editor, session: Session, tasks: readonly Unended[]): Promise<void> => {
    const watchOne = (task: Unended) =>
      new Promise<void>(looked => {
        followTurn(editor, session, task.taskId, { ...behind(task), looked })
          .catch(error => {
            if (!editor.gone.aborted) warn(shown(error).message)
          })
          .finally(looked)
      })
    await Promise.all(tasks.filter(({ taskId }) => !session.running.has(taskId)).map(watchOne))
  }

  type Asked = { sessionId: string; cwd: string; mcpServers?: McpServer[] }
  /** Takes up a session of the server. What follows it already goes on from what is told here. */
  const take = async (editor: Editor, { sessionId, cwd, mcpServers = [] }: Asked, isKnown: boolean) => {
    const place = opened(sessionId, cwd, mcpServers)
    const known = sessions.get(sessionId)
    const session = known ?? place
    sessions.set(sessionId, session)
    await session.inTurn(async () => {
      const told = tellSession(editor, session, isKnown)
      if (!isKnown) for (const wait of session.running.values()) wait(told)
      const unended = await told.catch(error => {
        if (known === undefined) sessions.delete(sessionId)
        throw error
      })
      sessions.set(sessionId, session)
      Object.assign(session, { cwd, mcpServers, asked: undefined }) // what is followed from here asks again
      await watch(editor, session, unended)
    })
  }

  const turn = async (editor: Editor, session: Session, prompt: ContentBlock[]): Promise<StopReason> => {
    const { cancels } = session
    const message = messageIn(prompt)
    const answered = await session.inTurn(() => answerInWords(editor, session, message, cancels))
    const answer = await answered?.stopReason
    if (answer !== undefined && (answered?.isGiven || session.cancels !== cancels)) return answer
    const begun = await session.inTurn(async () => {
      const body = bodyOf(settings, capabilities, mustKnow(session.id), prompt)
      const { id } = await server.ask(({ tasks }) => tasks.create(body))
      if (session.cancels !== cancels) await server.ask(({ tasks }) => inTime(tasks.cancel(id)))
      return { stopReason: followTurn(editor, session, id) }
    })
    return begun.stopReason
  }

  const connection = agent({ name: 'reprise' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'reprise', title: 'Reprise', version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: true, embeddedContext: true },
          mcpCapabilities: { http: true },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
        authMethods: [],
      }
    })
    .onRequest(
      methods.agent.session.new,
      telling(async ({ params: { cwd, mcpServers } }) => {
        const session = opened(`acp-${randomUUID()}`, cwd, mcpServers)
        await mustHaveAgent(settings)
        sessions.set(session.id, session)
        return { sessionId: session.id }
      }),
    )
    .onRequest(
      methods.agent.session.load,
      telling(async ({ params, client }) => {
        await take(editorAt(client), params, false)
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.resume,
      telling(async ({ params, client }) => {
        await take(editorAt(client), params, true)
        return {}
      }),
    )
    .onRequest(
      methods.agent.session.list,
      telling(({ params }) => listSessions(server, params)),
    )
    .onRequest(
      methods.agent.session.prompt,
      telling(async ({ params: { sessionId, prompt }, client, signal }) => {
        const session = mustKnow(sessionId)
        const editor = editorAt(client)
        const canceled = () => {
          // Otherwise the editor is gone, and the task goes on.
          if (!editor.gone.aborted) cancel(session).catch(error => warn(shown(error).message))
        }
        signal.addEventListener('abort', canceled)
        try {
          return { stopReason: await turn(editor, session, prompt) }
        } finally {
          signal.removeEventListener('abort', canceled)
        }
      }),
    )
    .onNotification(
      methods.agent.session.cancel,
      telling(({ params: { sessionId } }) => cancel(mustKnow(sessionId))),
    )
    .onRequest(
      methods.agent.session.close,
      telling(async ({ params: { sessionId } }) => {
        await cancel(mustKnow(sessionId))
        sessions.delete(sessionId)
        return {}
      }),
    )
    .connect(inOrder(stream))
  await connection.closed
}
