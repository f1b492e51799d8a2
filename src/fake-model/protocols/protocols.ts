// The protocols that the fake model speaks.
import { chat } from './chat.ts'
import { messages } from './messages.ts'
import type { Protocol } from './protocol.ts'
import { responses } from './responses.ts'

export const protocols: readonly Protocol[] = [chat, messages, responses]
