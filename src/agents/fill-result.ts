// Replaces `$result` in a script by the last tool result.
import { isExact } from '../contract/json/exact-number.ts'
import { scriptActions } from '../contract/wire.ts'

const placeholder = '$result'
const stringLiteral = /"(?:[^"\\]|\\.)*"/gs

/** Whether a text is the JSON of a script: the input of a subagent may be one. */
const isScript = (text: string): boolean => {
  try {
    const steps: unknown = JSON.parse(text)
    const isStep = (step: unknown) =>
      typeof step === 'object' && step !== null && scriptActions.some(action => action in step)
    return Array.isArray(steps) && steps.every(isStep)
  } catch {
    return false
  }
}

/** For each marker in a text, in order: the number of nested scripts around it. */
const depthsOf = (text: string, marker: string): number[] => {
  const found = text.split(marker).length - 1
  if (found === 0 || !isScript(text)) return Array<number>(found).fill(0)
  const literals = text.match(stringLiteral) ?? []
  return literals.flatMap(literal => depthsOf(JSON.parse(literal), marker).map(depth => depth + 1))
}

const escaped = (text: string, times: number): string =>
  times === 0 ? text : escaped(JSON.stringify(text).slice(1, -1), times - 1)

/** Replaces each placeholder by the result. A script inside the text stays JSON, whatever the result holds. */
const fillText = (text: string, result: string): string => {
  if (!text.includes(placeholder)) return text
  // A placeholder in JSON escapes (\u0024result) is left to the inner script. All other placeholders get a marker.
  let marker = '\u{e000}'
  while (text.includes(marker)) marker += '\u{e000}'
  const depths = depthsOf(
    text.replaceAll(placeholder, () => marker),
    marker,
  )
  const [first = '', ...rest] = text.split(placeholder)
  return first + rest.map((part, n) => escaped(result, depths[n] ?? 0) + part).join('')
}

/** Whether a text in the value holds the placeholder of the last tool result. The texts may be long: none is copied. */
export const asksForResult = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes(placeholder)
  return typeof value === 'object' && value !== null && Object.values(value).some(asksForResult)
}

/** A copy of the value in which the result replaces every placeholder in a text. */
export const fillResult = <T>(value: T, result: string): T => {
  if (typeof value === 'string') return fillText(value, result) as T
  if (Array.isArray(value)) return value.map(inner => fillResult(inner, result)) as T
  if (typeof value !== 'object' || value === null || isExact(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, fillResult(inner, result)]),
  ) as T
}
