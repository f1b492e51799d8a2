// The agents that tasks may name: those of users first, with their versions, workers and errors, then the built-in ones.
import type { Static } from 'typebox'
import type { AgentInfo, WorkerInfo } from '../../src/contract/wire.ts'
import { readList } from '../api/listed.ts'
import { hrefOf } from '../api/router.ts'
import { allowed, api, mayWrite } from '../api/session.ts'
import { agents } from '../home/agents.ts'
import { CutId } from '../ui/cut-id.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Ago, count } from '../ui/time.tsx'
import { Word } from '../ui/word.tsx'
import { Parameters } from './parameters.tsx'

type Agent = Static<typeof AgentInfo>
type Worker = Static<typeof WorkerInfo>

/** The server looks at the folder of agents every second. */
const everyMs = 2000
const perPage = 1000

/** The agents, and the workers if the role of the token may see them. */
const read = async (signal: AbortSignal) => {
  const [known, workers] = await Promise.all([
    readList<Agent>(api, '/agents', { limit: perPage }, { signal }),
    allowed('manage') ? readList<Worker>(api, '/workers', { limit: perPage }, { signal }) : undefined,
  ])
  agents.value = known.found
  return { all: known.found, workers: workers?.found }
}

const kinds: Record<Agent['kind'], string> = {
  builtin: 'built in',
  function: 'function',
  machine: 'statechart',
}

const State = ({ error, workers, description }: Agent) => {
  if (error !== undefined)
    return description === '' ? (
      <Word as="failed">cannot be loaded</Word>
    ) : (
      <Word as="paused">the new version cannot be loaded</Word>
    )
  if (workers === undefined) return null
  return workers === 0 ? (
    <Word as="paused">no worker is connected</Word>
  ) : (
    <Word as="completed">
      {count(workers)} {workers === 1 ? 'worker' : 'workers'}
    </Word>
  )
}

const About = ({ kind, source, version, connected_at, user_id, workers }: Agent) => (
  <p class="about">
    <span>{kinds[kind]}</span>
    {kind !== 'builtin' && <span>{source === 'worker' ? 'in workers' : <code>{source}</code>}</span>}
    {version !== undefined && (
      <span>
        version <CutId id={version} start={6} />
      </span>
    )}
    {connected_at !== undefined && (
      <span>
        {workers === 0 ? 'last connected' : 'connected'} <Ago at={connected_at * 1000} />
      </span>
    )}
    {user_id !== undefined && <span>for the user {user_id}</span>}
  </p>
)

const AgentCard = ({ agent }: { agent: Agent }) => {
  const { name, description, error, parameters } = agent
  return (
    <li class="panel agent-card">
      <header>
        <h3>{name}</h3>
        <State {...agent} />
        {mayWrite.value && (
          <a class="button" aria-label={`Run ${name}`} href={hrefOf('/', new URLSearchParams({ new: name }))}>
            Run
          </a>
        )}
      </header>
      {description !== '' && <p>{description}</p>}
      <About {...agent} />
      {error !== undefined && <pre class="bad">{error}</pre>}
      {parameters !== undefined && <Parameters schema={parameters} />}
    </li>
  )
}

const Cards = ({ title, all }: { title: string; all: readonly Agent[] }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    <ul class="agent-cards">
      {all.map(agent => (
        <AgentCard key={`${agent.name} ${agent.user_id ?? ''}`} agent={agent} />
      ))}
    </ul>
  </section>
)

const Workers = ({ workers }: { workers: readonly Worker[] }) => (
  <section aria-label="Workers">
    <h2>Workers</h2>
    <Table
      caption="Workers that are connected"
      rows={workers}
      keyOf={worker => workers.indexOf(worker)}
      columns={[
        { title: 'Worker', class: 'main', show: ({ name }) => <b>{name}</b> },
        {
          title: 'Agents',
          class: 'wrap',
          show: ({ agents: names, versions }) => (
            <ul class="links">
              {names.map(name => (
                <li key={name}>
                  {name}
                  {versions[name] !== undefined && (
                    <small>
                      {' '}
                      version <CutId id={versions[name]} start={6} />
                    </small>
                  )}
                </li>
              ))}
            </ul>
          ),
        },
        { title: 'User', class: 'less', show: ({ user_id }) => user_id ?? 'all users' },
        { title: 'Slots', class: 'number', show: ({ slots }) => count(slots) },
        {
          title: 'Connected',
          class: 'number age',
          show: ({ connected_at }) => <Ago at={connected_at * 1000} />,
        },
      ]}
    />
  </section>
)

/** How somebody gets an agent of their own. */
const None = () => (
  <Empty title="No agents of your own yet">
    <p>
      An agent is one file: a function, a statechart or a program in Python. Its calls survive every crash.
    </p>
    <p>
      <code>npx reprise agent new refunds</code> writes the first one. Start the server with{' '}
      <code>AGENT_PATH=my-agents</code>, and each file in that folder is an agent. A worker runs agents in a
      process of yours.
    </p>
    <p>
      The guide is in <code>docs/agents.md</code>.
    </p>
  </Empty>
)

export const AgentList = () => {
  const reading = useReading('agents', read, { everyMs })
  return (
    <Page title="Agents">
      <Loaded reading={reading} what="list of agents">
        {({ all, workers }) => {
          const own = all.filter(({ kind }) => kind !== 'builtin')
          return (
            <>
              {own.length === 0 ? <None /> : <Cards title="Agents of users" all={own} />}
              {workers !== undefined && workers.length > 0 && <Workers workers={workers} />}
              <Cards title="Built in" all={all.filter(({ kind }) => kind === 'builtin')} />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
