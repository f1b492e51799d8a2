// A part of the page that scrolls by itself. It can have the focus, so that the keyboard can scroll it.
import type { ComponentChildren, RefObject } from 'preact'

/** Scrolls the part until one of its rows is in sight. The page around it stays where its reader is. */
export const scrollTo = (part: Element, row: Element): void => {
  const [within, { top, bottom }] = [part.getBoundingClientRect(), row.getBoundingClientRect()]
  part.scrollTop += Math.min(0, top - within.top) + Math.max(0, bottom - within.bottom)
}

type Props = {
  label: string
  class: string
  of?: RefObject<HTMLDivElement | null>
  onScroll?: () => void
  children: ComponentChildren
}

export const Scrolling = ({ label, class: name, of, onScroll, children }: Props) => (
  // biome-ignore-start lint/a11y/noNoninteractiveTabindex: without it the part cannot be scrolled by keyboard
  // biome-ignore-start lint/a11y/useSemanticElements: no element stands for a part that scrolls
  <div
    class={name}
    role="group"
    aria-label={label}
    tabIndex={0}
    {...(of && { ref: of })}
    {...(onScroll && { onScroll })}
  >
    {children}
  </div>
  // biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above
  // biome-ignore-end lint/a11y/useSemanticElements: see above
)
