// The sender of a request about erasures or holds.
import type { Principal } from '../contract/events/token-events.ts'

export type Asked = { principal: Principal; requestId: string }
