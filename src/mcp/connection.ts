// A connection to an MCP server: lists its tools and calls them.
import type { Tool } from '@modelcontextprotocol/client'
import { type CallResult, readResult } from './content.ts'
import { failureOf, isAnswer, type McpFailure, refusalIn } from './failure.ts'
import { openClient } from './handshake.ts'
import { type Given, type MoreWanted, moreIn } from './input-required.ts'
import { maxProgress, openMs } from './limits.ts'
import { listTools, type ToolList } from './list-tools.ts'
import { type AskUser, createLiveQuestions } from './live-questions.ts'
import type { Outside } from './outside.ts'
import { isFields } from './reading/heard.ts'
import { unpacked } from './reading/parcel.ts'
import type { McpTool } from './reading/tool.ts'
import { wordsOfBody } from './reading/words.ts'
import { type McpServer, withoutSecrets } from './server.ts'
import { type ServerTask, taskIn } from './server-task.ts'

// Tells whether a server has forgotten the session of a connection. It refuses a request of such a session before it
// runs anything, so the request may be sent again in a new session.

const isGone =
  /no valid|not valid|invalid|unknown|missing|expired|not found|no such|terminated|closed|not exist|n't exist/i
const saysGone = (words: string): boolean =>
  (/\bsession/i.test(words) && isGone.test(words)) || /server (?:is )?not initialized/i.test(words)

/** Whether the body names the request. Then the server has read the request, and may have run it. */
const namesRequest = (body: string): boolean => {
  try {
    const value: unknown = JSON.parse(body)
    return isFields(value) && typeof value.id === 'number'
  } catch {
    return false
  }
}

/**
 * The protocol wants status 404. Many servers answer with 400, and some with 401 or 410; only their words show what they
 * mean. `sessionId`: the session of the request.
 */
const isSessionLost = (error: unknown, sessionId: string | undefined): boolean => {
  const refusal = refusalIn(error)
  if (refusal === undefined || sessionId === undefined) return false
  const { status, body } = refusal
  if (status === 404 || status === 410) return true
  return (status === 400 || status === 401) && saysGone(wordsOfBody(body)) && !namesRequest(body)
}

/** `given`: what the call goes on with after the server has asked for more. `ask`: asks the user while the call runs. */
export type CallHow = { given?: Given | undefined; ask?: AskUser | undefined }
/** The server has given the result, a task that will have it, or asks for more. */
export type CallAnswer = CallResult | ServerTask | MoreWanted

export type Connection = {
  /**
   * The server's latest list; it is requested again after the server has reported a change. Rejects with McpFailure.
   */
  tools(): Promise<ToolList>
  /**
   * Rejects with McpFailure. When `signal` aborts, it rejects, too, and notifies the server. `hear` receives the
   * server's reports about the progress of the call.
   */
  call(
    tool: McpTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    hear?: (message: string) => void,
    how?: CallHow,
  ): Promise<CallAnswer>
  /** Sends a request about a task of the server. Resolves to its result as it came; rejects as `call`. */
  ask(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

/** Takes every result: it is read afterwards. */
const anyResult = {
  '~standard': {
    version: 1,
    vendor: 'reprise',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
} as const

/** The client waits as long as a timer can: questions stop the time of a call. */
const longestTimerMs = 2 ** 31 - 1

/** A report to the operator has at most this many characters of an error. */
const longestReported = 2000

/** Passes on the server's progress messages, up to a limit. */
const progressTo = (server: McpServer, hear: (message: string) => void) => {
  let room = maxProgress
  return ({ message = '' }: { message?: string | undefined }) => {
    room -= message.length
    if (message !== '' && room >= 0) hear(withoutSecrets(server, message))
  }
}

/**
 * Connects; each of at most two handshakes may take 30 s. `onLost` is called once, when the connection cannot be used
 * any more, whatever the reason is. `hasUser`: whether somebody can answer questions of the server. Rejects with McpFailure.
 */
export const openMcpConnection = async (
  server: McpServer,
  outside: Outside,
  onLost: () => void,
  hasUser: boolean,
): Promise<Connection> => {
  /** Makes a short text for the user of the server. Reports more of the error to the operator, without secrets. */
  const explained = (error: unknown, kind?: { isAnswer: boolean; mayRepeat: boolean }): McpFailure => {
    const failure = failureOf(server, error, kind)
    const words = error instanceof Error ? error.message : String(error)
    outside.report('debug', failure.message, {
      error: withoutSecrets(server, words).slice(0, longestReported),
    })
    return failure
  }

  let listed: Promise<ToolList> | undefined
  const forgetTools = () => {
    listed = undefined
  }
  const questions = createLiveQuestions(server, outside.timers)
  const elicit = hasUser ? questions.elicit : undefined
  const client = await openClient(server, outside, { toolsChanged: forgetTools, elicit }).catch(error => {
    throw explained(error)
  })

  let lost = false
  const lose = () => {
    if (!lost) onLost()
    lost = true
  }
  client.onclose = lose
  /** `isHarmless`: the request changes nothing. */
  const failed = (error: unknown, isHarmless: boolean): McpFailure => {
    const isForgotten = isSessionLost(error, client.transport?.sessionId)
    // An answer leaves the connection usable; after any other error its state is unknown.
    const isUsable = isAnswer(error) && !isForgotten
    if (!isUsable) lose()
    return explained(error, { isAnswer: isUsable, mayRepeat: isForgotten || isHarmless })
  }

  return {
    tools() {
      if (listed !== undefined) return listed
      const asked = listTools(client, server, outside.timers).then(
        list => {
          outside.odd.note(server, list.odd)
          return list
        },
        error => {
          if (listed === asked) forgetTools()
          throw failed(error, true)
        },
      )
      listed = asked
      return asked
    },
    call: (tool, args, signal, hear, { given, ask } = {}) =>
      questions.during(ask, async late => {
        // The definition says which arguments are sent as headers.
        const toolDefinition = tool as Tool
        try {
          const params = { name: tool.name, arguments: args, ...given }
          const options = { signal: AbortSignal.any([signal, late]), timeout: longestTimerMs, toolDefinition }
          const progress = hear === undefined ? {} : { onprogress: progressTo(server, hear) }
          const result = unpacked(await client.callTool(params, { ...options, ...progress }))
          return taskIn(result) ?? moreIn(result) ?? readResult(result)
        } catch (error) {
          if (signal.aborted) throw error
          throw failed(late.aborted ? late.reason : error, false)
        }
      }),
    async ask(method, params, signal) {
      try {
        const options = { signal, timeout: openMs }
        const result = await client.request({ method, params }, anyResult, options)
        return unpacked(result as Parameters<typeof unpacked>[0])
      } catch (error) {
        if (signal.aborted) throw error
        throw failed(error, true)
      }
    },
    close: () => client.close().catch(() => {}),
  }
}
