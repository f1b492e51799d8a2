// Shows the proof of one stored event. The browser computes it: from the texts of the event, along the tree, to a
// checkpoint that the key of the log has signed.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { checkEvent, type Evidence, type Step, withChange } from './check-event.ts'
import { Texts } from './texts.tsx'

const StepRow = ({ step }: { step: Step }) => (
  <li class={step.isRight ? 'right' : 'wrong'}>
    <b>
      <span aria-hidden="true">{step.isRight ? '✓' : '✕'}</span> {step.name}
    </b>
    <p>{step.about}</p>
    <code>{step.found}</code>
    {!step.isRight && <code>expected {step.expected}</code>}
  </li>
)

export const Proven = ({ evidence }: { evidence: Evidence }) => {
  const isChanged = useSignal(false)
  const shown = useMemo(
    () => (isChanged.value ? withChange(evidence) : evidence),
    [evidence, isChanged.value],
  )
  const steps = useMemo(() => checkEvent(shown), [shown])
  const isRight = steps.every(step => step.isRight)
  const { event } = evidence
  const taskId = event.stream.startsWith('task-') ? event.stream.slice('task-'.length) : undefined
  return (
    <>
      <header class="proof-head">
        <h1>
          Event {event.position} <small>{event.type}</small>
        </h1>
        {taskId !== undefined && (
          <a
            class="only-link"
            href={hrefOf(`/tasks${at(taskId)}`, new URLSearchParams({ event: String(event.revision) }))}
          >
            Show it in its task
          </a>
        )}
        {event.payload !== null && (
          <label class="check">
            <input
              type="checkbox"
              checked={isChanged.value}
              onChange={({ currentTarget }) => {
                isChanged.value = currentTarget.checked
              }}
            />
            <span>Change one letter of the payload here</span>
          </label>
        )}
      </header>
      <p class={`verdict ${isRight ? 'right' : 'wrong'}`} role="status">
        {isRight
          ? 'Proven: the event is in the log that the key has signed, unchanged.'
          : 'Not proven: what is shown is not what the key has signed.'}
      </p>
      <ol class="proof-steps">
        {steps.map(step => (
          <StepRow key={step.name} step={step} />
        ))}
      </ol>
      <Texts evidence={shown} />
    </>
  )
}
