import { type Span, type SpanTask, type ToolCall, toolSpan } from './spans.ts'

/** Keeps the running calls of a task, and the names of all calls that its agent has made. */
export const createOpenCalls = (task: () => SpanTask) => {
  const names = new Map<string, string>()
  const calls = new Map<string, ToolCall>()

  /** Ends the span of a call. A call that never ran has no span. */
  const end = (callId: string, at: number, error: string | undefined): Span[] => {
    const call = calls.get(callId)
    names.delete(callId)
    calls.delete(callId)
    return call === undefined ? [] : [toolSpan(task(), call, at, error)]
  }

  return {
    /** Notes the name of a call that the agent has made. */
    name(call: { call_id: string; name: string } | undefined): void {
      if (call !== undefined) names.set(call.call_id, call.name)
    },
    nameOf: (callId: string): string => names.get(callId) ?? '',
    forgetNames: (): void => names.clear(),
    begin(call: ToolCall): void {
      if (!calls.has(call.callId)) calls.set(call.callId, call)
    },
    end,
    endAll: (at: number, error: string): Span[] =>
      [...calls.keys()].flatMap(callId => end(callId, at, error)),
    /** The id of the call that runs as this effect. */
    ofEffect: (effectId: string): string | undefined =>
      [...calls.values()].find(({ effect }) => effect === effectId)?.callId,
  }
}
