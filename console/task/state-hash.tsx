// Computes the hash of the task object at the position in the browser, and shows it.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { canonical } from '../../src/contract/json/canonical.ts'
import { taskOf } from '../../src/history/task-object.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { hashOfText } from '../proof/sha256.ts'
import type { Position } from './position.ts'

/** The hash is computed when the position has rested for this many milliseconds. */
const restMs = 120

/** SHA-256 of the task object as canonical JSON, as the server's replay computes it. */
export const stateHashOf = (view: ShownTask): string => hashOfText(canonical(taskOf(view)))

/** The hash at the position; undefined while it is not computed. */
export const useStateHash = (position: Position): string | undefined => {
  const { task, count } = position.view.value
  const isMoving = position.isMoving.value
  const found = useSignal<{ count: number; hash: string } | undefined>(undefined)
  useEffect(() => {
    if (task.created === undefined || isMoving) return
    const timer = setTimeout(() => {
      const view = position.view.peek()
      found.value = { count: view.count, hash: stateHashOf(view.task) }
    }, restMs)
    return () => clearTimeout(timer)
  }, [task, count, isMoving])
  return found.value?.count === count ? found.value.hash : undefined
}

/** `verdict`: whether another computation gave the same hash. `children`: what stands behind the hash. */
type Props = {
  hash: string | undefined
  verdict?: 'equal' | 'different' | undefined
  children?: ComponentChildren
}

export const StateHash = ({ hash, verdict, children }: Props) => (
  <span class={verdict === undefined ? 'hash' : `hash ${verdict}`}>
    state <code title={hash}>{hash === undefined ? '…' : hash.slice(0, 12)}</code>
    {children}
  </span>
)
