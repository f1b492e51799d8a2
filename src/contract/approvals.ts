// Which calls of an agent wait until somebody approves them: the patterns in `agent_config.approve`, and how they fit.
// docs/tasks.md describes the patterns.

/** Where a tool comes from, besides the tools of the server itself. */
const sources = ['mcp', 'agent', 'env'] as const
/** `mcp:<server>`, `agent:<agent>` or `env:<tool>`. */
export type ToolOrigin = `${(typeof sources)[number]}:${string}`

/** The greatest number of patterns of a task, and the greatest length of one, in characters. */
export const mostPatterns = 100
export const longestPattern = 256

const form = new RegExp(`^(?:(?:${sources.join('|')}):)?[A-Za-z0-9_.*-]+$`)

/** Why a text is no pattern; undefined: it is one. */
export const patternProblem = (pattern: string): string | undefined =>
  form.test(pattern)
    ? undefined
    : 'A pattern is the name of a tool, or "mcp:" and a server, "agent:" and an agent, or "env:" and a tool; names consist of letters, digits, "_", "-" and ".", and "*" stands for any characters'

const fits = (pattern: string, text: string): boolean => {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return text === pattern
  const last = rest.pop() ?? ''
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** Whether a call of this tool waits for an approval. `origin`: where the tool comes from; absent: from the server. */
export const needsApproval = (
  patterns: readonly string[] | null | undefined,
  name: string,
  origin: ToolOrigin | undefined,
): boolean =>
  (patterns ?? []).some(pattern =>
    pattern.includes(':') ? origin !== undefined && fits(pattern, origin) : fits(pattern, name),
  )

/** What somebody has decided about a call. `arguments`: JSON text, in place of the arguments of the agent. */
export type ApprovalDecision = {
  decision: 'approve' | 'refuse'
  arguments?: string
  reason?: string
}
