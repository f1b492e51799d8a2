/** The names of the agents that come with the server. Without a model, there is no agent `model`. */
export const builtinNames: ReadonlySet<string> = new Set(['demo', 'echo', 'group', 'model', 'script'])
