// JSON-RPC envelopes as text. Tasks come from the read models as text and are inserted without being parsed.
import { joined, type Text } from '../../platform/pieces.ts'

export const envelope = (id: string, result: Text): Text =>
  joined(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, result, '}')

/** The beginning of an envelope whose result is a list, up to the bracket of the list. */
export const listBegun = (id: string): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":[`
