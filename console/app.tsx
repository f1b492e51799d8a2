// The frame of the console: the head with its links, and the view that the address names.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { root } from './api/address.ts'
import { hrefOf, place } from './api/router.ts'
import { allowed, isSignedIn, mayRead, self, signOut } from './api/session.ts'
import { SearchButton } from './search/search-button.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { Away, ConnectionState } from './ui/connection.tsx'
import { useHiddenSides } from './ui/hidden-sides.ts'
import { Keys, useKeys } from './ui/keys.tsx'
import { Empty, Loading } from './ui/notice.tsx'
import { entries, isOutdated, viewAt } from './views.tsx'

const Head = () => {
  const isOpen = useSignal(false)
  const who = self.value
  const links = useRef<HTMLElement>(null)
  const { path: here } = place.value
  useEffect(
    () =>
      links.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [here],
  )
  const sides = useHiddenSides(links)
  const openKeys = () => {
    isOpen.value = true
  }
  useKeys({ '?': openKeys, 'Shift+?': openKeys })
  return (
    <header class="head">
      <a class="brand" href={hrefOf('/')}>
        Reprise
      </a>
      <nav aria-label="Views" ref={links} data-more={sides.value}>
        {entries
          .filter(({ access }) => allowed(access))
          .map(({ path, title, own }) => (
            <a key={path} href={hrefOf(path)} aria-current={own.test(here) ? 'page' : undefined}>
              {title}
            </a>
          ))}
        <a href={`${root}docs`} target="_blank" rel="noreferrer">
          API
        </a>
      </nav>
      <SearchButton />
      <ConnectionState />
      <button type="button" class="quiet" aria-label="Keys" title="Keys (?)" onClick={openKeys}>
        ?
      </button>
      {isOpen.value && (
        <Keys
          close={() => {
            isOpen.value = false
          }}
        />
      )}
      {who !== undefined && (
        <span class="who" title={`The role of this token is ${who.role}`}>
          {who.user_id ?? 'all users'} <small>{who.role}</small>
        </span>
      )}
      <button type="button" class="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </header>
  )
}

/** The console of another version: its address stays, so the view opens as soon as the page has been loaded again. */
const Outdated = () =>
  isOutdated.value ? (
    <p class="away" role="status">
      The server now has another version of the console.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load this page again
      </button>
    </p>
  ) : null

const Body = () => {
  const { path } = place.value
  const opened = viewAt(path)
  // The other views say themselves what they show.
  useEffect(() => {
    if (path === '/') document.title = 'Tasks · Reprise'
  }, [path])
  if (opened === undefined)
    return (
      <main>
        <Empty isPage title="Not found">
          <p>The console has no such page.</p>
          <a href={hrefOf('/')}>All tasks</a>
        </Empty>
      </main>
    )
  const View = opened.view.value
  if (View === undefined)
    return (
      <main>
        <Loading what="the view" />
      </main>
    )
  return <View key={opened.id} id={opened.id} />
}

export const App = () => {
  const signedIn = isSignedIn.value && self.value !== undefined
  useEffect(() => {
    if (!signedIn) document.title = isSignedIn.value ? 'Reprise' : 'Sign in · Reprise'
  }, [signedIn])
  if (!isSignedIn.value)
    return (
      <>
        <Away />
        <SignIn />
      </>
    )
  if (self.value === undefined)
    return (
      <>
        <Away />
        <Loading what="your rights" />
      </>
    )
  return (
    <>
      <Head />
      <Away />
      <Outdated />
      {mayRead.value ? (
        <Body />
      ) : (
        <main>
          <Empty isPage title="This token can only subscribe to events">
            Use it with <code>/api/events</code>. To look at tasks, sign in with the role user, auditor or
            admin.
          </Empty>
        </main>
      )}
    </>
  )
}
