// The pages of other servers that may use this one from a browser: ALLOWED_ORIGINS.

export type Origins = ReturnType<typeof createOrigins>

/** `allowed`: exact origins, or `*` among them for all. */
export const createOrigins = (allowed: readonly string[]) => {
  const all = allowed.includes('*')
  const known = new Set(allowed)
  const isAllowed = (origin: string): boolean => all || known.has(origin)
  return {
    isAllowed,
    /** Whether a page of this origin may open a WebSocket: one of the same host always may. */
    mayConnect: (origin: string, host: string | undefined): boolean =>
      isAllowed(origin) || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()),
  }
}
