// The frame of the console: the head with its links, and the view that the address names.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { root } from './api/address.ts'
import { hrefOf, place } from './api/router.ts'
import { allowed, isSignedIn, mayRead, self, signOut } from './api/session.ts'
import { SearchButton } from './search/search-button.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { ConnectionState } from './ui/connection.tsx'
import { Keys } from './ui/keys.tsx'
import { Empty, Loading } from './ui/notice.tsx'
import { entries, viewAt } from './views.tsx'

const Head = () => {
  const isOpen = useSignal(false)
  const who = self.value
  const links = useRef<HTMLElement>(null)
  const { path: here } = place.value
  useEffect(
    () =>
      links.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [here],
  )
  return (
    <header class="head">
      <a class="brand" href={hrefOf('/')}>
        Reprise
      </a>
      <nav aria-label="Views" ref={links}>
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
      <button
        type="button"
        class="quiet"
        aria-label="Keys"
        onClick={() => {
          isOpen.value = true
        }}
      >
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

const Body = () => {
  const opened = viewAt(place.value.path)
  if (opened === undefined)
    return (
      <main>
        <Empty isPage title="There is no such page">
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
    if (!signedIn) document.title = 'Reprise'
  }, [signedIn])
  if (!isSignedIn.value) return <SignIn />
  if (self.value === undefined) return <Loading what="your rights" />
  return (
    <>
      <Head />
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
