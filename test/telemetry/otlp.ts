// Reads what OTLP puts into a request, field by field, from the definition of the format and with no code of those who
// write it: what they get wrong shows.

type Value = bigint | Buffer
type Fields = Map<number, Value[]>

const varint = (bytes: Buffer, at: number): [value: bigint, next: number] => {
  let value = 0n
  for (let shift = 0n, n = at; ; shift += 7n, n++) {
    const byte = BigInt(bytes[n] ?? 0)
    value |= (byte & 0x7fn) << shift
    if (byte < 0x80n) return [value, n + 1]
  }
}

const fieldsOf = (bytes: Buffer): Fields => {
  const fields: Fields = new Map()
  for (let at = 0; at < bytes.length; ) {
    const [tag, body] = varint(bytes, at)
    const kind = Number(tag & 7n)
    let value: Value
    if (kind === 0) [value, at] = varint(bytes, body)
    else if (kind === 2) {
      const [size, start] = varint(bytes, body)
      at = start + Number(size)
      value = bytes.subarray(start, at)
    } else {
      at = body + (kind === 1 ? 8 : 4)
      value = kind === 1 ? bytes.readBigUInt64LE(body) : BigInt(bytes.readUInt32LE(body))
    }
    const number = Number(tag >> 3n)
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}

const messages = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map(value => fieldsOf(value as Buffer))
const text = (fields: Fields, number: number): string =>
  ((fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).toString('utf8')
const hex = (fields: Fields, number: number): string =>
  ((fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)).toString('hex')
const number = (fields: Fields, at: number): number => Number(fields.get(at)?.[0] ?? 0n)

const anyValue = (fields: Fields): unknown => {
  if (fields.has(1)) return text(fields, 1)
  if (fields.has(3)) return number(fields, 3)
  if (fields.has(5)) return messages(messages(fields, 5)[0] ?? new Map(), 1).map(anyValue)
  return undefined
}
const attributesOf = (fields: Fields, at: number): Record<string, unknown> =>
  Object.fromEntries(
    messages(fields, at).map(pair => [text(pair, 1), anyValue(messages(pair, 2)[0] ?? new Map())]),
  )

export type ExportedSpan = {
  resource: Record<string, unknown>
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  /** 1: internal, 3: client. */
  kind: number
  start: number
  end: number
  attributes: Record<string, unknown>
  /** 0: unset, 2: error. */
  status: number
}

/** The spans of an ExportTraceServiceRequest, times in milliseconds. */
export const spansIn = (body: Buffer): ExportedSpan[] =>
  messages(fieldsOf(body), 1).flatMap(ofResource => {
    const resource = attributesOf(messages(ofResource, 1)[0] ?? new Map(), 1)
    return messages(ofResource, 2).flatMap(ofScope =>
      messages(ofScope, 2).map(span => ({
        resource,
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentSpanId: hex(span, 4),
        name: text(span, 5),
        kind: number(span, 6),
        start: Math.round(number(span, 7) / 1e6),
        end: Math.round(number(span, 8) / 1e6),
        attributes: attributesOf(span, 9),
        status: number(messages(span, 15)[0] ?? new Map(), 3),
      })),
    )
  })
