// The parts of a chat completion request on which an answer depends.

export type ChatMessage = { role?: string; content?: unknown; [key: string]: unknown }
export type ChatRequest = {
  messages: ChatMessage[]
  model?: string
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  tools?: { function?: { name?: string } }[]
  tool_choice?: unknown
  response_format?: { type?: string; json_schema?: { schema?: unknown } }
}

/** The text of a content, which is a string or a list of parts. */
const contentText = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => (typeof part === 'string' ? part : String(part?.text ?? ''))).join('\n')
}

/** The role and the text of the newest message. */
export const newestOf = ({ messages }: ChatRequest): { role: string; text: string } => {
  const newest = messages.at(-1)
  return { role: newest?.role ?? '', text: contentText(newest?.content) }
}

/** The parsed request, or a text that says what is wrong with it. */
export const readRequest = (body: string): ChatRequest | string => {
  let request: unknown
  try {
    request = JSON.parse(body)
  } catch (error) {
    return `the body is no JSON: ${(error as Error).message}`
  }
  const messages = (request as Partial<ChatRequest> | null)?.messages
  if (!Array.isArray(messages) || messages.length === 0) return 'messages must be a list that is not empty'
  if (messages.some(message => typeof message !== 'object' || message === null)) {
    return 'each of messages must be an object'
  }
  return request as ChatRequest
}
