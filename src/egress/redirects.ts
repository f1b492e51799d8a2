// Follows redirects here, not in the HTTP client, because the address of each new connection must be judged.

/** A request follows at most this many redirects. */
const maxRedirects = 5
/** Headers that may be sent to an origin that the caller did not name. */
const harmless = ['accept', 'content-type', 'user-agent']

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** The request that follows a redirect. */
const redirected = (init: RequestInit, status: number, isElsewhere: boolean): RequestInit => {
  const headers = new Headers(init.headers)
  if (isElsewhere) for (const name of [...headers.keys()]) if (!harmless.includes(name)) headers.delete(name)
  const method = (init.method ?? 'GET').toUpperCase()
  const keepsMethod = status >= 307 || method === 'GET' || method === 'HEAD'
  if (keepsMethod) return { ...init, headers }
  headers.delete('content-type')
  const { body: _, ...rest } = init
  return { ...rest, method: 'GET', headers }
}

/**
 * Sends a request with `once`, and again for each redirect. `init.redirect` means the same as in the platform's fetch.
 */
export const followRedirects = async (
  once: (url: URL, init: RequestInit) => Promise<Response>,
  first: URL,
  init: RequestInit,
): Promise<Response> => {
  let url = first
  let request = init
  for (let followed = 0; ; followed++) {
    const response = await once(url, request)
    const location = isRedirect(response.status) ? response.headers.get('location') : null
    if (location === null || init.redirect === 'manual') return response
    await response.body?.cancel()
    if (init.redirect === 'error' || !URL.canParse(location, url.href)) {
      throw new Error(`redirected with ${response.status}`)
    }
    if (followed === maxRedirects) throw new Error(`redirected more than ${maxRedirects} times`)
    const next = new URL(location, url)
    request = redirected(request, response.status, next.origin !== url.origin)
    url = next
  }
}
