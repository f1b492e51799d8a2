// Starts a task: a message, an agent, and examples for every agent. Once there are tasks, it is one line until somebody
// wants to write.
import { signal, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { readJson } from '../../src/contract/json/exact-json.ts'
import type { Task } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { go, hrefOf, place } from '../api/router.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Copy } from '../ui/copy.tsx'
import { curlOf } from '../ui/curl.ts'
import { useKeys } from '../ui/keys.tsx'
import { Problem } from '../ui/notice.tsx'
import { agents } from './agents.ts'
import { type Example, examples } from './examples.ts'

// Keeps the values in the form for a new task.

const createDraft = () => {
  const message = signal('')
  const agent = signal('')
  /** Fields of `agent_config`, as JSON; empty: there are none. */
  const config = signal('')
  const session = signal('')
  const more = signal<object>({})
  return {
    message,
    agent,
    config,
    session,
    use(example: Example): void {
      message.value = example.message
      agent.value = example.agent
      config.value = example.config === undefined ? '' : JSON.stringify(example.config, null, 2)
      more.value = example.more ?? {}
    },
    /** The body of the request that creates the task. Throws SyntaxError when the settings are no JSON. */
    body: () => ({
      user_message_content: message.value,
      stream: false,
      background: true,
      agent_config: {
        ...(agent.value === '' ? {} : { agent_id: agent.value }),
        ...(config.value.trim() === '' ? {} : (readJson(config.value) as object)),
      },
      ...(session.value === '' ? {} : { session_id: session.value }),
      ...more.value,
    }),
  }
}
type Draft = ReturnType<typeof createDraft>

const Examples = ({ use }: { use: (example: Example) => void }) => {
  const known = new Set(agents.value.map(({ name }) => name))
  return (
    <ul class="chips" aria-label="Examples">
      {examples
        .filter(({ agent }) => known.has(agent))
        .map(example => (
          <li key={example.title}>
            <button type="button" class="chip" title={example.message} onClick={() => use(example)}>
              {example.title} <small>{example.agent}</small>
            </button>
          </li>
        ))}
    </ul>
  )
}

const Settings = ({ draft }: { draft: Draft }) => (
  <details>
    <summary>Settings of the request</summary>
    <label>
      <span>Session, to continue a conversation</span>
      <input {...bound(draft.session)} />
    </label>
    <label>
      <span>Settings of the agent, as JSON (agent_config)</span>
      <textarea class="code" rows={6} spellcheck={false} {...bound(draft.config)} />
    </label>
    <Copy label="Copy as curl" text={() => curlOf('POST', '/tasks', draft.body())} />
  </details>
)

/** `hasTasks`: whether the list has tasks, so that somebody knows how to start one. */
export const StartBox = ({ hasTasks }: { hasTasks: boolean }) => {
  const isOpened = useSignal(false)
  const isOpen = isOpened.value || !hasTasks
  const draft = useMemo(createDraft, [])
  const { busy, error, run } = useMemo(createAction, [])
  useKeys({ n: () => document.getElementById('new-task')?.focus() })
  // A link can lead to the form, with an agent chosen.
  const { query } = place.value
  const wanted = query.get('new')
  useEffect(() => {
    if (wanted === null) return
    draft.agent.value = wanted
    isOpened.value = true
    document.getElementById('new-task')?.focus()
  }, [wanted])
  const button = useRef<HTMLButtonElement>(null)
  const chosen = useSignal<Example | undefined>(undefined)
  const use = (example: Example) => {
    draft.use(example)
    chosen.value = example
  }
  // After a click on an example, the button gets the focus, so that Enter starts the task. The button is disabled until
  // there is a message, so it gets the focus in an effect, after the render.
  useEffect(() => {
    if (chosen.value !== undefined) button.current?.focus()
  }, [chosen.value])
  const start = () =>
    run(async () => {
      const task = await api.ask<Task>('POST', '/tasks', draft.body())
      go(hrefOf(`/tasks${at(task.id)}`))
    })
  return (
    <form
      class={isOpen ? 'start panel' : 'start folded panel'}
      aria-label="Start a task"
      onSubmit={event => {
        event.preventDefault()
        void start()
      }}
    >
      <label class="grow">
        <span>Start a task</span>
        <textarea
          id="new-task"
          rows={isOpen ? 2 : 1}
          placeholder="What should the agent do?"
          {...bound(draft.message)}
          onFocus={() => {
            isOpened.value = true
          }}
          onKeyDown={event => {
            if (event.key === 'Escape') {
              isOpened.value = false
              event.currentTarget.blur()
            }
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            if (draft.message.value.trim() !== '') void start()
          }}
        />
      </label>
      <div class="start-line">
        <label class={isOpen ? '' : 'folded-part'}>
          <span class="unseen">Agent</span>
          <select {...bound(draft.agent)}>
            <option value="">Default agent</option>
            {agents.value.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          ref={button}
          type="submit"
          class="primary"
          disabled={busy.value || draft.message.value.trim() === ''}
        >
          Start
        </button>
        <Problem text={error.value} />
        {hasTasks && (
          <button
            type="button"
            class="quiet fold"
            aria-expanded={isOpen}
            onClick={() => {
              isOpened.value = !isOpen
            }}
          >
            {isOpen ? 'Fold' : 'Examples'}
          </button>
        )}
      </div>
      {isOpen && (
        <>
          <Examples use={use} />
          <Settings draft={draft} />
        </>
      )}
    </form>
  )
}
