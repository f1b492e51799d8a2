// A provider of the AI SDK, written by its public specification: its endpoint answers with the parts of a stream, one a
// line, and the provider passes them on as they are.
type Settings = { baseURL: string; apiKey?: string; version?: string; refuses?: string; fetch: typeof fetch }
type Options = { abortSignal?: AbortSignal; [option: string]: unknown }

/** A line that is no part is an error, as in packages of vendors. */
const partOf = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch (error) {
    return { type: 'error', error }
  }
}

const lines = (): TransformStream<string, unknown> => {
  let rest = ''
  return new TransformStream({
    transform(text, controller) {
      const whole = (rest + text).split('\n')
      rest = whole.pop() ?? ''
      for (const line of whole) if (line !== '') controller.enqueue(partOf(line))
    },
  })
}

export const createParts = ({ baseURL, apiKey, version = 'v4', refuses, fetch }: Settings) => ({
  languageModel: (modelId: string) => {
    const ask = async ({ abortSignal, ...options }: Options): Promise<Response> => {
      if (refuses !== undefined && JSON.stringify(options).includes(refuses)) {
        throw new Error(`'${refuses} parts' functionality not supported.`)
      }
      const answer = await fetch(baseURL, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ modelId, ...options }),
        ...(abortSignal === undefined ? {} : { signal: abortSignal }),
      })
      if (answer.ok) return answer
      throw new Error('the provider says this in its own words')
    }
    return {
      specificationVersion: version,
      provider: 'parts.chat',
      modelId,
      supportedUrls: {},
      doStream: async (options: Options) => {
        const { body } = await ask(options)
        return { stream: body?.pipeThrough(new TextDecoderStream()).pipeThrough(lines()) }
      },
      doGenerate: async (options: Options) => (await ask(options)).json(),
    }
  },
})
