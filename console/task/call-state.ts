// Says in a few words in which state a call is.
import type { ToolResultItem } from '../../src/contract/wire.ts'
import { duration } from '../ui/time.tsx'
import type { Span } from './spans.ts'

/** `isWaiting`: a person must answer, or with `needsApproval`, approve the call. */
type Call = {
  result: ToolResultItem | undefined
  span: Span | undefined
  isWaiting: boolean
  needsApproval?: boolean
}

export const callStateOf = ({ result, span, isWaiting, needsApproval }: Call): string => {
  if (isWaiting) return needsApproval ? 'waits for an approval' : 'waits for an answer'
  if (result?.status === 'incomplete') return span?.outcome === 'stopped' ? 'stopped' : 'failed'
  if (result !== undefined && result.status !== 'in_progress')
    return span?.toMs === undefined ? 'done' : duration(span.toMs - span.fromMs)
  return span === undefined ? 'not run' : (span.outcome ?? 'running')
}
