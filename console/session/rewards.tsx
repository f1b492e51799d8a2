// The rewards of a session as a line, the newest at the right.
import type { SessionEvent } from './history.ts'

export const Rewards = ({ events }: { events: readonly SessionEvent[] }) => {
  const rewards = events.flatMap(({ type, data }) => (type === 'EnvStepCompleted' ? [data.reward] : []))
  if (rewards.length < 2) return null
  const [low, high] = [Math.min(0, ...rewards), Math.max(0, ...rewards)]
  const y = (reward: number) => 38 - (36 * (reward - low)) / (high - low || 1)
  const points = rewards.map((reward, n) => `${(300 * n) / (rewards.length - 1)},${y(reward).toFixed(1)}`)
  const sum = rewards.reduce((total, reward) => total + reward, 0)
  return (
    <svg
      class="rewards"
      viewBox="-2 0 304 40"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Rewards of ${rewards.length} steps, together ${sum}`}
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}
