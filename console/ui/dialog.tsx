// A question in front of the page. Escape closes it.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type Props = { title: string; class?: string; close: () => void; children: ComponentChildren }

export const Dialog = ({ title, class: name = '', close, children }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class={name} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}
