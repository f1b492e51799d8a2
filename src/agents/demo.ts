// An agent without a model: it thinks aloud about the message, calls a tool when the text holds arithmetic or names a
// tool, and answers slowly enough to be watched.
import type { Agent, StepInput, StepPart } from '../contract/agent.ts'
import type { TextItemKind, TextPartKind } from '../contract/events/task-events.ts'
import { plainText } from '../contract/plain-text.ts'
import type { Timers } from '../contract/ports.ts'
import type { OutputItem, ToolDefinition } from '../contract/wire.ts'
import { sleep } from '../platform/sleep.ts'
import { instanceOf } from './instance.ts'
import { words } from './text.ts'

/** Milliseconds for each word: slow enough to watch, fast enough to test. */
const wordMs = 15

const short = (text: string, max = 200) => (text.length > max ? `${text.slice(0, max)}…` : text)
const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

/** The longest part of a text that is arithmetic; a date is not. */
export const arithmeticIn = (text: string): string | undefined => {
  const runs = text.match(/[\d.(][\d.()+\-*/^%\s]*[\d)]/g) ?? []
  const sums = runs.filter(
    run => /[\d)]\s*[+\-*/^%]\s*[\d.(-]/.test(run) && !/^\d+-\d+-\d+$/.test(run.trim()),
  )
  return sums.sort((a, b) => b.length - a.length)[0]?.trim()
}

type Call = { name: string; arguments: Record<string, unknown> }

/** A call of the tool, if the text names it and it requires at most one argument: the words after its name. */
const named = (text: string, { function: { name, parameters } }: ToolDefinition): Call | undefined => {
  const at = text.search(new RegExp(`\\b${name.replace(/[^\w]/g, '\\$&')}\\b`))
  if (at < 0) return undefined
  const rest = text.slice(at + name.length).trim()
  const required = Array.isArray(parameters.required) ? (parameters.required as string[]) : []
  const [first, ...others] = required
  if (first === undefined) return { name, arguments: {} }
  const value = /`([^`]+)`/.exec(rest)?.[1] ?? rest
  return others.length > 0 || value === '' ? undefined : { name, arguments: { [first]: value } }
}

const callFor = (text: string, tools: ToolDefinition[]): Call | undefined => {
  const byName = tools.flatMap(tool => named(text, tool) ?? [])[0]
  const expression = arithmeticIn(text)
  const canCalculate = tools.some(tool => tool.function.name === 'calculator')
  if (byName !== undefined || expression === undefined || !canCalculate) return byName
  return { name: 'calculator', arguments: { expression } }
}

/** The tool results since the newest message of the user. */
const resultsSince = (history: OutputItem[]): string[] => {
  const spoke = history.findLastIndex(item => item.type === 'message' && item.role === 'user')
  return history
    .slice(spoke + 1)
    .flatMap(item => (item.type === 'tool_result' ? [plainText(item.message_content)] : []))
}

const answerTo = ({ asked, request }: StepInput, results: string[]): string => {
  const text = plainText(asked)
  const schema = request.stream ? undefined : request.structured_output
  if (schema) return JSON.stringify(instanceOf(schema, results.at(-1) ?? text))
  const result = short(results.join(', '), 2000)
  const end = /[.!?…]$/.test(result) ? '' : '.'
  const found = results.length > 0 ? `The answer is ${result}${end}` : `You said: “${short(text)}”.`
  return (
    `${found} I am the demo agent and work without a model. Every word of this answer is an event in the log: ` +
    'cut the connection, or kill the server, and read on where you were. To talk to a model, set MODEL_BASE_URL, ' +
    'MODEL and, if it wants one, MODEL_API_KEY, and start again.'
  )
}

async function* wordByWord(
  timers: Timers,
  signal: AbortSignal,
  { item, part, said }: { item: TextItemKind; part: TextPartKind; said: string },
): AsyncGenerator<StepPart> {
  for (const word of words(said)) {
    yield { say: 'delta', item, part, text: word }
    await sleep(timers, wordMs, signal)
  }
}

export const demo = (timers: Timers): Agent => ({
  name: 'demo',
  description:
    'Needs no model: thinks aloud, calls a tool for arithmetic or one that the text names, and answers.',
  async *step(input) {
    const text = plainText(input.asked)
    const history = await input.history()
    const say = (item: TextItemKind, part: TextPartKind, said: string) =>
      wordByWord(timers, input.signal(), { item, part, said })
    const results = resultsSince(history)
    if (results.length === 0) {
      const seen = history.length - 1
      const before =
        seen === 0
          ? 'This is the first message here.'
          : `I see ${plural(seen, 'earlier item')} in this session.`
      const call = callFor(text, await input.tools())
      const next = call === undefined ? '' : ` I ask the ${call.name}.`
      const thought = `The user wrote ${plural(words(text).length, 'word')}. ${before}${next}`
      yield* say('reasoning', 'summary_text', thought)
      if (call !== undefined) {
        yield { say: 'call', name: call.name, arguments: JSON.stringify(call.arguments) }
        return { end: 'continue' }
      }
    }
    yield* say('message', 'output_text', answerTo(input, results))
    return { end: 'answer' }
  },
})
