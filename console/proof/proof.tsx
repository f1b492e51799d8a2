// The proof of one stored event, computed in the browser: from its texts, along the tree, to a checkpoint that the key of
// the log has signed.
import { signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { at } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { Failure, Loading } from '../ui/notice.tsx'
import { checkEvent, type Evidence, type Step } from './check-event.ts'
import { readEvidence, withChange } from './evidence.ts'
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

const Proven = ({ evidence }: { evidence: Evidence }) => {
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
          <a href={hrefOf(`/tasks${at(taskId)}`, new URLSearchParams({ event: String(event.revision) }))}>
            Show it in its task
          </a>
        )}
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

export const ProofView = ({ id }: { id: string }) => {
  const evidence = useMemo(() => signal<Evidence | undefined>(undefined), [id])
  const error = useMemo(() => signal<string | undefined>(undefined), [id])
  const load = () => {
    error.value = undefined
    readEvidence(Number(id)).then(
      found => {
        evidence.value = found
      },
      (failure: Error) => {
        error.value = failure.message
      },
    )
  }
  useEffect(() => {
    document.title = `Proof of event ${id} · Reprise`
    load()
  }, [id])
  return (
    <main class="proof">
      {evidence.value !== undefined && <Proven evidence={evidence.value} />}
      {evidence.value === undefined && error.value === undefined && <Loading what="the proof" />}
      {error.value !== undefined && <Failure error={error.value} retry={load} />}
    </main>
  )
}
