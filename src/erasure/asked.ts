// Who asks for something about erasures.
import type { Principal } from '../contract/token-events.ts'

export type Asked = { principal: Principal; requestId: string }
