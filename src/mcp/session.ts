// Tells whether a server has forgotten the session of a connection. It refuses a request of such a session before it
// runs anything, so the request may be sent again in a new session.
import { refusalIn } from './failure.ts'
import { isFields } from './reading/heard.ts'
import { wordsOfBody } from './reading/words.ts'

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
export const isSessionLost = (error: unknown, sessionId: string | undefined): boolean => {
  const refusal = refusalIn(error)
  if (refusal === undefined || sessionId === undefined) return false
  const { status, body } = refusal
  if (status === 404 || status === 410) return true
  return (status === 400 || status === 401) && saysGone(wordsOfBody(body)) && !namesRequest(body)
}
