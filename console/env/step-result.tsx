// What happened at one moment: the call with its arguments, and its result.
import { readJson } from '../../src/contract/json/exact-json.ts'
import type { MessageContent } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { Blocks } from '../task/blocks.tsx'
import { Content } from '../task/content.tsx'
import { Facts } from '../ui/facts.tsx'
import { moment as timeOf } from '../ui/time.tsx'
import type { Moment, Step } from './moments.ts'

/** The rows of a result that is JSON with rows; undefined for other results. */
const tableOf = ({ content }: Step) => {
  if (typeof content !== 'string' || !content.startsWith('{')) return undefined
  try {
    const { rows, columns } = readJson(content) as { rows?: unknown; columns?: unknown }
    return Array.isArray(rows) && rows.length > 0 ? { type: 'table', rows, columns } : undefined
  } catch {
    return undefined
  }
}

/** The text of a tool is often a map or a list, so it is shown with its spaces and line breaks. */
const Output = ({ content, error }: { content: MessageContent; error: unknown }) => {
  if (content === '' || content === error) return null
  return typeof content === 'string' ? <pre>{content}</pre> : <Content content={content} />
}

const Result = ({ step }: { step: Step }) => {
  const table = tableOf(step)
  const error = step.info.error
  return (
    <>
      {typeof error === 'string' && <p class="problem">{error}</p>}
      {table !== undefined ? <Blocks blocks={[table]} /> : <Output content={step.content} error={error} />}
      <Blocks blocks={step.blocks} />
    </>
  )
}

const words: Partial<Record<Moment['type'], string>> = {
  EnvSessionCreated: 'The environment was created',
  EnvSessionReset: 'The environment was reset',
  EnvSessionClosed: 'The session was closed',
  EnvSessionDeleted: 'The session was deleted',
}

export const StepResult = ({ moment }: { moment: Moment }) => {
  const { step, type, seed, reason } = moment
  const { error: _, ...info } = step?.info ?? {}
  return (
    <div class="step-result">
      <h3>{step === undefined ? words[type] : `Step ${step.number}: ${step.tool}`}</h3>
      {step !== undefined && <Result step={step} />}
      <Facts
        of={[
          ['Time', timeOf(moment.at)],
          ['Arguments', step && <code>{JSON.stringify(step.args)}</code>],
          ['Reward', step && Number(step.reward.toFixed(6))],
          ['Info', Object.keys(info).length === 0 ? undefined : <code>{JSON.stringify(info)}</code>],
          ['Seed', seed],
          ['Reason', reason],
          ['Position', <a href={hrefOf(`/proof/${moment.position}`)}>{moment.position}</a>],
          ['Task', step?.taskId && <a href={hrefOf(`/tasks${at(step.taskId)}`)}>{step.taskId}</a>],
        ]}
      />
    </div>
  )
}
