import { Stack } from "@mantine/core"
import { t } from "../language/Text.tsx"
import css from "./Deliveries.module.css"
import { type Attempt, durationText } from "./DeliveryText.ts"

/** The phases of an attempt as a bar to scale and as a list. An attempt without phases has its total alone. */
export const Phases = ({ attempt }: { readonly attempt: Attempt }) => {
  const phases = phasesOf(attempt)
  const total = phases.reduce((sum, { ms }) => sum + ms, 0)
  return (
    <Stack gap="xs">
      {total > 0 && phases.length > 1 && (
        <div className={css.bar} aria-hidden="true">
          {phases.map(({ key, ms }) => (
            <span key={key} className={css[key]} style={{ flexGrow: ms }} />
          ))}
        </div>
      )}
      <dl className={css.phaseList} aria-label={t("Timing")}>
        {phases.length > 1 &&
          phases.map(({ key, name, ms }) => (
            <div key={key}>
              <dt>
                <span className={`${css.key} ${css[key]}`} aria-hidden="true" />
                {name}
              </dt>
              <dd>{durationText(ms)}</dd>
            </div>
          ))}
        <div>
          <dt>{t("Total")}</dt>
          <dd>{durationText(attempt.durationMs)}</dd>
        </div>
      </dl>
    </Stack>
  )
}

/** The parts of an attempt, one after the other. Without a response, the last one ended with the failure. */
const phasesOf = ({ lookupMs, tcpMs, tlsMs, connectMs, headMs, durationMs }: Attempt) => {
  const opening = [
    { key: "lookup", name: t("DNS lookup"), ms: lookupMs },
    { key: "tcp", name: t("Connect"), ms: tcpMs },
    { key: "tls", name: t("TLS"), ms: tlsMs },
  ].filter((phase): phase is Phase => phase.ms !== undefined)
  const opened = opening.reduce((sum, { ms }) => sum + ms, 0)
  if (headMs === undefined) {
    return [...opening, { key: "wait", name: t("Until failure"), ms: Math.max(0, durationMs - opened) }]
  }
  const connected = connectMs ?? opened
  return [
    ...(opening.length === 0 && connectMs !== undefined
      ? [{ key: "tcp", name: t("Connect"), ms: connectMs }]
      : opening),
    { key: "wait", name: t("Wait for response"), ms: Math.max(0, headMs - connected) },
    { key: "read", name: t("Read response"), ms: Math.max(0, durationMs - headMs) },
  ].filter(({ key, ms }) => ms > 0 || key === "wait")
}

interface Phase {
  readonly key: string
  readonly name: string
  readonly ms: number
}
