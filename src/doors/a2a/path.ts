// Clients of A2A send calls to the address in a card with or without a slash at its end, and look for the card of the default
// agent below its address, too.

const card = '/.well-known/agent-card.json'

/** The URL of a request in the form that routes know. URLs that have nothing to do with A2A are unchanged. */
export const a2aUrl = (url: string): string => {
  if (!url.startsWith('/a2a')) return url
  const [path = '', ...query] = url.split('?')
  const known = path === `/a2a${card}` ? card : path.replace(/^(\/a2a(?:\/[^/]+)?)\/$/, '$1')
  return [known, ...query].join('?')
}
