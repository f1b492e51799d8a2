// Tools for tests: they count their effects, wait until a test lets them go on, or fail.
import type { Tool, ToolInput, ToolOutput } from '../../src/contract/tools.ts'

type Options = {
  /** Whether a call may run again by itself after a crash. */
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

/**
 * A tool that counts its calls by effect id. With `waits`, each call waits until the test lets it go on or stops it.
 */
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
    /** The ids of the effects that happened, in order. */
    happened,
    stopped: () => stopped,
    release: () => release(),
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
    /** Lets later calls wait again. */
    hold() {
      gate = new Promise(resolve => {
        release = resolve
      })
    },
  }
}

/** The definition of a tool of the client. */
export const clientTool = (name: string, parameters: Record<string, unknown> = {}) => ({
  type: 'function' as const,
  function: { name, parameters },
})
