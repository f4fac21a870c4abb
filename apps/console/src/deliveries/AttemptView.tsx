import { CodeBlock } from "../shell/CodeBlock.tsx"
import { Cross, Check } from "../shell/Icon.tsx"
import { At } from "../shell/Ago.tsx"
import css from "./Deliveries.module.css"
import { adviceOf, type Attempt, durationText } from "./Words.ts"

/** One attempt: how it ended, what to do about it, how long each phase took, and the answer. */
export const AttemptView = ({
  attempt,
  isOutcomeSaid = false,
}: {
  readonly attempt: Attempt
  /** The page says already how it ended. */
  readonly isOutcomeSaid?: boolean
}) => {
  const isFailed = attempt.reason !== undefined
  const advice = adviceOf(attempt)
  return (
    <div className={css.attempt}>
      <div className={css.attemptHead}>
        {!isOutcomeSaid && (
          <span className={isFailed ? css.bad : css.ok}>
            {isFailed ? <Cross /> : <Check />}
            {outcomeText(attempt)}
          </span>
        )}
        <span className="dim small">
          <At at={attempt.startedAt} />
        </span>
      </div>
      {advice !== undefined && <p className="small">{advice}</p>}
      <Phases attempt={attempt} />
      {attempt.answer !== undefined && attempt.answer !== "" && (
        <div>
          <h3 className={css.answerTitle}>The answer</h3>
          <CodeBlock text={attempt.answer} label={`Answer to attempt ${attempt.number}`} isWrapped />
        </div>
      )}
    </div>
  )
}

const outcomeText = ({ status, reason, detail }: Attempt): string => {
  if (reason === undefined) return `Answered ${status ?? ""}`.trim()
  const text = detail ?? reason.replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The phases as a bar to scale, each with its time in words. */
const Phases = ({ attempt }: { readonly attempt: Attempt }) => {
  const phases = phasesOf(attempt)
  const total = phases.reduce((sum, { ms }) => sum + ms, 0)
  return (
    <div className={css.phases}>
      {total > 0 && phases.length > 1 && (
        <div className={css.bar} aria-hidden="true">
          {phases.map(({ name, ms }, at) => (
            <span key={name} className={css[`phase${at}`]} style={{ flexGrow: ms }} />
          ))}
        </div>
      )}
      <dl className={css.phaseList}>
        {phases.length > 1 &&
          phases.map(({ name, ms }, at) => (
            <div key={name}>
              <dt>
                <span className={`${css.key} ${css[`phase${at}`]}`} aria-hidden="true" />
                {name}
              </dt>
              <dd>{durationText(ms)}</dd>
            </div>
          ))}
        <div>
          <dt>In all</dt>
          <dd>{durationText(attempt.durationMs)}</dd>
        </div>
      </dl>
    </div>
  )
}

const phasesOf = ({ connectMs = 0, headMs, durationMs }: Attempt) =>
  headMs === undefined
    ? [{ name: "Until it failed", ms: durationMs }]
    : [
        { name: "Connecting", ms: connectMs },
        { name: "Waiting for the answer", ms: Math.max(0, headMs - connectMs) },
        { name: "Reading it", ms: Math.max(0, durationMs - headMs) },
      ].filter(({ name, ms }) => ms > 0 || name === "Waiting for the answer")
