// Keeps the methods that each path accepts. By this table the server tells a wrong method from an unknown path.

type Route = { pattern: RegExp; methods: Set<string> }

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''

export const methodTable = () => {
  const routes = new Map<string, Route>()
  /**
   * The methods of paths without parameters. Each of these paths belongs to its own route, even if the pattern of
   * another route fits it.
   */
  const fixed = new Map<string, Set<string>>()
  return {
    add(url: string, methods: string[]) {
      const pattern = new RegExp(`^${url.replace(/:[a-z_]+/g, '[^/]+')}$`)
      const known = routes.get(url) ?? { pattern, methods: new Set() }
      for (const method of methods) known.methods.add(method)
      routes.set(url, known)
      if (!url.includes(':')) fixed.set(url, known.methods)
    },
    at(url: string): string[] {
      const path = pathOf(url)
      const own = fixed.get(path)
      const found =
        own ??
        [...routes.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? [...methods] : []))
      return [...new Set(found)].sort()
    },
    /**
     * Whether the path is a path without parameters that does not accept this method. A route with a parameter that
     * fits the path is not asked.
     */
    lacks: ({ url, method }: { url: string; method: string }): boolean =>
      fixed.get(pathOf(url))?.has(method) === false,
    /**
     * The name of the parameter that is empty in this path; undefined if no route fits the path with an empty
     * parameter.
     */
    emptyIn(url: string): string | undefined {
      const given = pathOf(url).split('/')
      for (const route of routes.keys()) {
        const parts = route.split('/')
        const fits =
          parts.length === given.length && parts.every((part, n) => part.startsWith(':') || part === given[n])
        const empty = parts.find((part, n) => part.startsWith(':') && given[n] === '')
        if (fits && empty !== undefined) return empty.slice(1)
      }
      return undefined
    },
  }
}
export type MethodTable = ReturnType<typeof methodTable>
