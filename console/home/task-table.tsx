// Tasks as rows. On a narrow screen a row becomes a card (style/home.css).
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { mayWrite } from '../api/session.ts'
import { Status } from '../ui/status.tsx'
import { Ago, count, duration, now } from '../ui/time.tsx'
import { type Row, workedFor } from './rows.ts'

const reasons: Record<string, string> = {
  outcome_unknown: 'outcome unknown',
  secret_missing: 'a secret is missing',
}

const Why = ({ row }: { row: Row }) => {
  const reason = row.metadata?.reason
  if (row.error !== undefined)
    return (
      <span class="why bad" title={row.error.message}>
        {row.error.message}
      </span>
    )
  if (row.metadata?.waiting_for !== undefined) return <span class="why">waits for a worker</span>
  if (row.status === 'input-required') return <span class="why">waits for an answer</span>
  return reason === undefined ? null : <span class="why">{reasons[reason] ?? reason}</span>
}

/** A number of a task, or a dash while there is none. A card does not show the dash. */
const Measure = ({ label, text }: { label: string; text: string | undefined }) => (
  <td class={text === undefined ? 'number none' : 'number'} data-label={label}>
    {text ?? '–'}
  </td>
)

const Worked = ({ row }: { row: Row }) => {
  const ms = workedFor(row, row.ended_at === undefined ? now.value : 0)
  return <Measure label="worked" text={ms === undefined ? undefined : duration(ms)} />
}

const TaskRow = ({ row, selected, buttons }: { row: Row } & Pick<Props, 'selected' | 'buttons'>) => {
  const tick = () => {
    const next = new Set(selected.value)
    if (!next.delete(row.id)) next.add(row.id)
    selected.value = next
  }
  return (
    <tr>
      {mayWrite.value && (
        <td class="tick">
          <input
            type="checkbox"
            aria-label={`Select ${row.question}`}
            checked={selected.value.has(row.id)}
            onChange={tick}
          />
        </td>
      )}
      <td class="state">
        <Status status={row.status} />
      </td>
      <td class="question">
        <div class="question-line">
          <a href={hrefOf(`/tasks${at(row.id)}`)}>{row.question.trim() === '' ? row.id : row.question}</a>
          <Why row={row} />
          {buttons?.(row)}
        </div>
      </td>
      <td class="agent">{row.metadata?.agent ?? '–'}</td>
      <td class="user">{row.user_id}</td>
      <td class="number age" data-label="age">
        <Ago at={row.created_at * 1000} />
      </td>
      <Worked row={row} />
      <Measure
        label="tokens"
        text={row.usage?.total_tokens === undefined ? undefined : count(row.usage.total_tokens)}
      />
    </tr>
  )
}

/** `buttons`: what can be done with a row, behind its question. */
type Props = {
  caption: string
  rows: readonly Row[]
  selected: Signal<ReadonlySet<string>>
  buttons?: (row: Row) => ComponentChildren
}

export const TaskTable = ({ caption, rows, selected, buttons }: Props) => (
  <table class="tasks">
    <caption class="unseen">{caption}</caption>
    <thead>
      <tr>
        {mayWrite.value && (
          <th class="tick">
            <span class="unseen">Selected</span>
          </th>
        )}
        <th class="state">Status</th>
        <th class="question">Question</th>
        <th class="agent">Agent</th>
        <th class="user">User</th>
        <th class="number age">Age</th>
        <th class="number">Worked</th>
        <th class="number">Tokens</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <TaskRow key={row.id} row={row} selected={selected} {...(buttons && { buttons })} />
      ))}
    </tbody>
  </table>
)
