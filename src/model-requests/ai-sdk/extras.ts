// What a provider of the AI SDK gives with a turn and gets back with it: options of its parts, such as signatures and
// encrypted reasoning, under the name of the provider.
type Options = Record<string, unknown>

/**
 * The parts of a turn in the order in which they came. `nth`: the number of the reasoning, the text or the call in the
 * turn; reasoning without a number has no text. `options`: what the provider gave with the part.
 */
export type SdkExtra =
  | { type: 'reasoning'; nth?: number; options?: Options }
  | { type: 'text' | 'call'; nth: number; options?: Options }
  | { type: 'custom'; kind: string; options?: Options }

export type SdkExtras = { parts: SdkExtra[] }

export const sdkExtras = (extras: Record<string, unknown> | undefined): SdkExtra[] =>
  (extras as SdkExtras | undefined)?.parts ?? []
