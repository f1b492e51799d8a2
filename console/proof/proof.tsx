// The proof of one stored event, computed in the browser: from its texts, along the tree, to a checkpoint that the key of
// the log has signed.
import { signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, at, queryOf } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { connection } from '../ui/connection.tsx'
import { Copy } from '../ui/copy.tsx'
import { Failure, Loading } from '../ui/notice.tsx'
import { checkEvent, type Evidence, type Step, type StoredEvent } from './check-event.ts'

/** Reads what the proof needs. Rejects with ApiError. */
const readEvidence = async (position: number): Promise<Evidence> => {
  const page = await api.send<{ events: StoredEvent[] }>(
    'GET',
    `/audit/events${queryOf({ after: position - 1, limit: 1 })}`,
  )
  const event = page.events[0]
  if (event?.position !== position)
    throw new ApiError(404, 'There is no event at this position that you may see.')
  const [note, keys] = await Promise.all([api.text('/audit/checkpoint'), api.text('/audit/public-key')])
  const tree_size = Number(note.split('\n')[1])
  if (tree_size < position)
    throw new ApiError(503, 'The newest checkpoint is older than the event. Try again.')
  const proof = await api.send<{ leaf_index: number; hashes: string[] }>(
    'GET',
    `/audit/proof${queryOf({ position, tree_size })}`,
  )
  return { event, note, keys, leafIndex: proof.leaf_index, hashes: proof.hashes }
}

/** The same evidence with another letter in the payload, to see the check fail. */
const withChange = (evidence: Evidence): Evidence => {
  const { payload } = evidence.event
  const middle = Math.floor(payload.length / 2)
  const other = payload[middle] === 'x' ? 'y' : 'x'
  const changed = payload.slice(0, middle) + other + payload.slice(middle + 1)
  return { ...evidence, event: { ...evidence.event, payload: changed } }
}

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

const Texts = ({ evidence }: { evidence: Evidence }) => {
  const { event, note, hashes } = evidence
  return (
    <div class="proof-texts">
      <section class="panel">
        <h2>The event as it is stored</h2>
        <h3>Header</h3>
        <pre>{event.header}</pre>
        <h3>Salt and payload</h3>
        <pre>{event.salt}</pre>
        <pre>{event.payload}</pre>
      </section>
      <section class="panel">
        <h2>The signed checkpoint</h2>
        <pre>{note}</pre>
        <h3>The path of {hashes.length} hashes to its root</h3>
        <ol class="path">
          {hashes.map(hash => (
            <li key={hash}>
              <code>{hash}</code>
            </li>
          ))}
        </ol>
        <Copy label="Copy the evidence as JSON" text={() => JSON.stringify(evidence, null, 2)} />
      </section>
    </div>
  )
}

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
    connection.value = undefined
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
