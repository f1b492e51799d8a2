// The events of OpenAI's webhooks: how a response in the background ended.

export const responseEnds = [
  'response.completed',
  'response.failed',
  'response.incomplete',
  'response.cancelled',
] as const
export type ResponseEndName = (typeof responseEnds)[number]

/** `id`: that of the response. */
export type ResponseEnd = { type: ResponseEndName; id: string }

const names: ReadonlySet<string> = new Set(responseEnds)
export const isResponseEnd = (type: string): type is ResponseEndName => names.has(type)
