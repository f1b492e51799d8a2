// Tools for tests: they count what happened outside, wait to be let go, or fail.
import type { Tool, ToolInput, ToolOutput } from '../../src/contract/tools.ts'

type Options = {
  /** May run again by itself. */
  safe?: boolean
  run?: (input: ToolInput) => Promise<ToolOutput>
}

export const tool = (name: string, { safe = false, run }: Options = {}): Tool => ({
  definition: {
    type: 'function',
    function: { name, description: `for tests: ${name}`, parameters: { type: 'object' }, strict: false },
  },
  isSafe: () => safe,
  run: run ?? (async () => ({ content: 'done' })),
})

/** Counts its calls by effect; each call waits until it is let go, or stops when it is told to. */
export const outside = (name: string, { safe = false, waits = false } = {}) => {
  const happened: string[] = []
  let stopped = 0
  let release = () => {}
  let gate = waits
    ? new Promise<void>(resolve => {
        release = resolve
      })
    : Promise.resolve()
  return {
    /** The effects that happened, in order. */
    happened,
    stopped: () => stopped,
    letGo: () => release(),
    tool: tool(name, {
      safe,
      run: async ({ effectId, arguments: args, signal }) => {
        happened.push(effectId)
        const aborted = new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => {
            stopped++
            reject(new Error('stopped'))
          })
        })
        await Promise.race([gate, aborted])
        return { content: `${name} ${JSON.stringify(args)}` }
      },
    }),
    /** From now on calls wait again. */
    hold() {
      gate = new Promise(resolve => {
        release = resolve
      })
    },
  }
}

/** A tool definition as a client gives it. */
export const clientTool = (name: string, parameters: Record<string, unknown> = {}) => ({
  type: 'function' as const,
  function: { name, parameters },
})
