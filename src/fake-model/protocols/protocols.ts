// The protocols that the fake model speaks.
import { completions } from './completions.ts'
import { messages } from './messages.ts'
import type { Protocol } from './protocol.ts'
import { responses } from './responses.ts'

export const protocols: readonly Protocol[] = [completions, messages, responses]
