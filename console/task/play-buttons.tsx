// Plays and stops, at one of three speeds.
import { type Player, speeds } from './player.ts'

export const PlayButtons = ({ player }: { player: Player }) => (
  <>
    <button
      type="button"
      class="play"
      aria-label={player.isPlaying.value ? 'Stop' : 'Play'}
      title="Play and stop (Space)"
      onClick={player.toggle}
    >
      {player.isPlaying.value ? '❚❚' : '▶'}
    </button>
    <fieldset class="speeds">
      <legend class="unseen">Speed</legend>
      {speeds.map(speed => (
        <button
          key={speed}
          type="button"
          class="chip"
          aria-pressed={player.speed.value === speed}
          onClick={() => {
            player.speed.value = speed
          }}
        >
          {speed === 'max' ? 'max' : `${speed}×`}
        </button>
      ))}
    </fieldset>
  </>
)
