// JSON-RPC envelopes as text. Tasks come as text from the read models; they are never parsed to be written again.
export const envelope = (id: string, resultText: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`
