// The statechart of environment sessions, with the state of this session lit, and the moves that may follow.
import { type SessionState, sessionMovesFrom } from '../../src/contract/env-session-chart.ts'

const states = ['active', 'closed', 'deleted'] as const
const moves: Record<string, string> = {
  EnvSessionCreated: 'create',
  EnvStepCompleted: 'step',
  EnvSessionReset: 'reset',
  EnvSessionClosed: 'close',
  EnvSessionDeleted: 'delete',
}
const colours: Record<SessionState, string> = {
  absent: '',
  active: 'is-working',
  closed: 'is-completed',
  deleted: 'is-failed',
}

export const SessionStates = ({ state }: { state: SessionState }) => (
  <>
    <ol class="states">
      {states.map(each => (
        <li
          key={each}
          class={each === state ? `lit ${colours[each]}` : ''}
          aria-current={each === state ? 'true' : undefined}
        >
          {each}
        </li>
      ))}
    </ol>
    <p class="hint">
      May follow:{' '}
      {sessionMovesFrom(state)
        .flatMap(type => moves[type] ?? [])
        .join(', ')}
    </p>
  </>
)
