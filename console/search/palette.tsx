// The search over everything, in front of every view: a field, and below it what it finds, through which the arrow keys
// lead.
import { signal, useSignal } from '@preact/signals'
import { useEffect, useId, useMemo, useRef } from 'preact/hooks'
import { go } from '../api/router.ts'
import { bound } from '../ui/bound.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/notice.tsx'
import { useSettled } from '../ui/settled.ts'
import { Status } from '../ui/status.tsx'
import { count } from '../ui/time.tsx'
import { amongNewest, askServer, createNewest, type Group, type Hit, tasksAtOnce, viewsFor } from './find.ts'

const createSearch = () => {
  const closed = new AbortController()
  const newest = createNewest(closed.signal)
  /** What the server found, and for which text. */
  const found = signal<{ text: string; groups: Group[] }>({ text: '', groups: [] })
  const error = signal<string | undefined>(undefined)
  let asked: AbortController | undefined
  const tried = async (work: Promise<void>): Promise<void> => {
    try {
      await work
      error.value = undefined
    } catch (failure) {
      if (!closed.signal.aborted && (failure as Error).name !== 'AbortError')
        error.value = (failure as Error).message
    }
  }
  const more = () => void tried(newest.more())
  more()
  return {
    newest,
    found,
    error,
    more,
    ask(text: string): void {
      asked?.abort()
      const own = new AbortController()
      asked = own
      void tried(
        askServer(text, own.signal).then(groups => {
          if (asked === own) found.value = { text, groups }
        }),
      )
    },
    close(): void {
      asked?.abort()
      closed.abort()
    },
  }
}

/** The groups without what an earlier group has, and without those that then have nothing. */
const distinct = (groups: readonly Group[]): Group[] => {
  const seen = new Set<string>()
  const isNew = ({ href }: Hit): boolean => !seen.has(href) && Boolean(seen.add(href))
  return groups
    .map(group => ({ ...group, hits: group.hits.filter(isNew) }))
    .filter(({ hits }) => hits.length > 0)
}

const HitOf = ({ hit, id, isActive }: { hit: Hit; id: string; isActive: boolean }) => (
  // The keyboard leads here from the field, which keeps the focus.
  <a class="hit" role="option" id={id} aria-selected={isActive} tabIndex={-1} href={hit.href}>
    <span class="hit-title">{hit.title}</span>
    {hit.about !== undefined && <small>{hit.about}</small>}
    {hit.status !== undefined && <Status status={hit.status} />}
  </a>
)

export const Palette = ({ close }: { close: () => void }) => {
  const search = useMemo(createSearch, [])
  useEffect(() => search.close, [search])
  const written = useSignal('')
  const active = useSignal(0)
  const list = useRef<HTMLDivElement>(null)
  const [id, field] = [useId(), useRef<HTMLInputElement>(null)]
  const text = written.value.trim()
  const settled = useSettled(text)
  useEffect(() => search.ask(settled), [settled])
  useEffect(() => field.current?.focus(), [])
  const { newest, found } = search
  const isCurrent = found.value.text === text
  const groups = distinct([
    amongNewest(newest.rows.value, text),
    ...(isCurrent ? found.value.groups : []),
    ...viewsFor(text),
  ])
  const hits = groups.flatMap(group => group.hits)
  const at = Math.min(active.value, hits.length - 1)
  const idOf = (n: number) => `${id}-${n}`
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at, text])
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return // the key ends a word of an input method
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) active.value = (at + step + hits.length) % Math.max(1, hits.length)
    else if (event.key === 'Enter' && hits[at] !== undefined) {
      close()
      go(hits[at].href)
    } else return
    event.preventDefault()
  }
  // The types of Preact have no search field that is a combobox.
  const combobox = {
    type: 'search',
    role: 'combobox',
    'aria-label': 'Search',
    'aria-expanded': hits.length > 0,
    'aria-controls': id,
    'aria-autocomplete': 'list',
    'aria-activedescendant': hits.length === 0 ? undefined : idOf(at),
  }
  let n = 0
  return (
    <Dialog title="Search" class="palette" close={close}>
      <input
        ref={field}
        {...(combobox as object)}
        placeholder="Text, task id, session or user"
        autocomplete="off"
        spellcheck={false}
        {...bound(written)}
        onKeyDown={press}
      />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field */}
      <div
        ref={list}
        class="hits"
        role="listbox"
        id={id}
        aria-label="Found"
        tabIndex={-1}
        onClick={event => {
          if (event.target instanceof Element && event.target.closest('a') !== null) close()
        }}
      >
        {groups.map(group => (
          // biome-ignore lint/a11y/useSemanticElements: no element groups the options of such a list
          <div key={group.title} role="group" aria-label={group.title}>
            <p class="hits-title" aria-hidden="true">
              {group.title}
            </p>
            {group.hits.map(hit => {
              const number = n++
              return <HitOf key={hit.href} hit={hit} id={idOf(number)} isActive={number === at} />
            })}
          </div>
        ))}
      </div>
      {hits.length === 0 && <p class="hint">Nothing was found.</p>}
      <Problem text={search.error.value} />
      <p class="hint searched">
        <span>
          {newest.isReading.value
            ? 'Reading tasks…'
            : `Texts: in ${newest.hasMore.value ? 'the newest' : 'all'} ${count(newest.rows.value.length)} tasks. Ids, users and sessions: in all tasks.`}
        </span>
        {newest.hasMore.value && (
          <button type="button" class="link" disabled={newest.isReading.value} onClick={search.more}>
            Search {tasksAtOnce} older ones
          </button>
        )}
      </p>
    </Dialog>
  )
}
