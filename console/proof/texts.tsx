// The texts from which a proof is computed.
import { Copy } from '../ui/copy.tsx'
import type { Evidence } from './check-event.ts'

export const Texts = ({ evidence }: { evidence: Evidence }) => {
  const { event, note, hashes } = evidence
  return (
    <div class="proof-texts">
      <section class="panel">
        <h2>The event as it is stored</h2>
        <h3>Header</h3>
        <pre>{event.header}</pre>
        <h3>Salt and payload</h3>
        {event.payload === null ? (
          <p>They were erased.</p>
        ) : (
          <>
            <pre>{event.salt}</pre>
            <pre>{event.payload}</pre>
          </>
        )}
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
