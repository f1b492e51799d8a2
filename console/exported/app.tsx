// The page of an export: its head, and the view that the address names.
import { isTaskStream, taskIdOf } from '../../src/contract/task-stream.ts'
import { fileNames } from '../../src/proof/export/format.ts'
import { subjectText } from '../../src/proof/export/readme.ts'
import { place } from '../api/router.ts'
import type { Evidence } from '../proof/check-event.ts'
import { Proven } from '../proof/proven.tsx'
import { Empty } from '../ui/notice.tsx'
import { eventAt, isErased, manifest, type PageEvent, streams } from './content.ts'
import { files } from './files.ts'
import { viewAt } from './places.ts'
import { StreamList } from './stream-list.tsx'
import { StreamView } from './stream-view.tsx'
import { TaskView } from './task-view.tsx'
import { VerdictLine, VerdictLink } from './verdict.tsx'
import { VerificationView } from './verification-view.tsx'

// Collects what the proof of an event needs from the files of the export.

const evidenceOf = ({ position, header, payload, salt, hashes = [], known }: PageEvent): Evidence => ({
  event: { position, ...known, header, payload, salt },
  note: files.text(fileNames.checkpoint) ?? '',
  keys: files.text(fileNames.key) ?? '',
  leafIndex: position - 1,
  hashes,
})

const [onlyStream] = streams.size === 1 ? streams.keys() : []

const Head = () => (
  <header class="head exported-head">
    <a class="brand" href="#/">
      Reprise
    </a>
    <span class="subject">
      Export of {manifest === undefined ? 'something unknown' : subjectText(manifest.subject)}
    </span>
    <VerdictLink />
  </header>
)

const Stream = ({ stream }: { stream: string }) => {
  const events = streams.get(stream) ?? []
  return isTaskStream(stream) && !events.some(isErased) ? (
    <TaskView key={stream} id={taskIdOf(stream)} events={events} />
  ) : (
    <StreamView key={stream} stream={stream} events={events} />
  )
}

const Proof = ({ position }: { position: number }) => {
  const event = eventAt(position)
  if (event === undefined) return null
  return (
    <main class="proof">
      <Proven key={position} evidence={evidenceOf(event)} />
    </main>
  )
}

const Body = () => {
  const view = viewAt(place.value.path)
  switch (view?.view) {
    case 'list':
      return onlyStream === undefined ? <StreamList /> : <Stream stream={onlyStream} />
    case 'verification':
      return <VerificationView />
    case 'stream':
      return <Stream stream={view.stream} />
    case 'proof':
      return <Proof position={view.position} />
    case undefined:
      return (
        <main>
          <Empty isPage title="This export has no such view">
            <a href="#/">What the export contains</a>
          </Empty>
        </main>
      )
  }
}

export const App = () => (
  <>
    <Head />
    {place.value.path !== '/verification' && <VerdictLine />}
    <Body />
  </>
)
