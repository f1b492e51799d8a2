// ALLOWED_ORIGINS: the origins of pages from other hosts that may use this server from a browser.

export type Origins = ReturnType<typeof createOrigins>

/**
 * `allowed` is a list of exact origins. If `*` is in the list, every origin is allowed. `own`: the origin of PUBLIC_URL.
 */
export const createOrigins = (allowed: readonly string[], own?: string) => {
  const all = allowed.includes('*')
  const known = new Set(allowed)
  const isAllowed = (origin: string): boolean => all || known.has(origin)
  return {
    isAllowed,
    /** Whether a page of this origin may open a WebSocket. A page of the server's own host always may. */
    mayConnect: (origin: string, host: string | undefined): boolean =>
      isAllowed(origin) ||
      origin === own ||
      (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()),
  }
}
