// JSON-RPC envelopes as text. Tasks come as text from the read models and are not parsed to be written again.
import { joined, type Text } from '../platform/pieces.ts'

export const envelope = (id: string, result: Text): Text =>
  joined(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, result, '}')
