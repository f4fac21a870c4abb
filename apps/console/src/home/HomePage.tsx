import type { Overview } from "@tocsin/api"
import { useQuery } from "@tanstack/react-query"
import { objectiveStates } from "@tocsin/domain/forms"
import { Link } from "wouter"
import { apiErrorOf } from "../api/Client.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { Siren } from "../components/Icon.tsx"
import { Page } from "../components/Page.tsx"
import { iconOf, labelOf } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import { countText } from "../components/NumberFormat.ts"
import { Attention } from "./Attention.tsx"
import { FirstSteps } from "./FirstSteps.tsx"
import stateCss from "../components/State.module.css"
import css from "./Home.module.css"
import { NoSlosYet } from "./NoSlosYet.tsx"
import { overviewQuery } from "./OverviewQuery.ts"
import { ReviewReminders } from "../reviews/ReviewReminders.tsx"
import { ServiceMap } from "./ServiceMap.tsx"

/** Current problems, and the status of every service. */
const HomePage = () => {
  const query = useQuery(overviewQuery)
  const overview = query.data
  // A transient error is retried, and leaves the page as it is.
  const error: unknown = query.error
  const isFailed = error !== null && !(overview !== undefined && apiErrorOf(error).isTransient)
  return (
    <Page title={t("Home")} subtitle={t("Current problems, and the status of every service.")}>
      {isFailed && <QueryError query={query} />}
      <ReviewReminders />
      {overview === undefined ? (
        !isFailed && <Skeleton />
      ) : overview.services.length === 0 ? (
        <>
          <FirstSteps />
          <NoSlosYet />
        </>
      ) : (
        <>
          {isNew(overview) && <FirstSteps />}
          <Summary overview={overview} />
          <div className={css.columns}>
            <Attention overview={overview} onChanged={() => void query.refetch()} />
            <ServiceMap services={overview.services} hasMore={overview.hasMoreSlos} />
          </div>
        </>
      )}
    </Page>
  )
}
export default HomePage

/** An organization with few SLOs may not have sent its first notification. */
const isNew = ({ states }: Overview): boolean =>
  states !== undefined && objectiveStates.reduce((sum, state) => sum + states[state], 0) < 10

/** How many SLOs are in each state, if that is known, and how many alerts are open; each is a link to the list of them. */
const Summary = ({ overview: { states, alerts } }: { readonly overview: Overview }) => (
  <ul className={css.summary} aria-label={t("Summary")}>
    {objectiveStates.map((state) => (
      <li key={state}>
        <Link href={`/slos?state=${state}`} className={css.tile}>
          <span className={css.tileName}>
            <span className={states === undefined || states[state] > 0 ? stateCss[state] : "dim"}>
              {iconOf(state)}
            </span>{" "}
            {labelOf(state)}
          </span>
          {states === undefined ? (
            <span className="dim small">{t("Too many SLOs to count")}</span>
          ) : (
            <>
              <strong>{countText(states[state])}</strong>
              <span className="dim small">
                {t("{count, plural, one {SLO} other {SLOs}}", { count: states[state] })}
              </span>
            </>
          )}
        </Link>
      </li>
    ))}
    <li>
      <Link href="/alerts" className={css.tile}>
        <span className={css.tileName}>
          <span className={alerts.open > alerts.acknowledged ? stateCss.breached : "dim"}>
            <Siren />
          </span>{" "}
          {t("Open alerts")}
        </span>
        <strong>{countText(alerts.open)}</strong>
        <span className="dim small">
          {t("{count, plural, =0 {none acknowledged} other {# acknowledged}}", {
            count: alerts.acknowledged,
          })}
        </span>
      </Link>
    </li>
  </ul>
)

const Skeleton = () => (
  <div aria-hidden="true" className={css.skeleton}>
    <div className={css.summary}>
      {Array.from({ length: 5 }, (_, index) => (
        <span key={index} />
      ))}
    </div>
    <div className={css.columns}>
      <span />
      <span />
    </div>
  </div>
)
