import type { Overview } from "@tocsin/api"
import { groupBy, objectiveStates } from "@tocsin/domain/forms"
import { Link } from "wouter"
import { Select, useFilters } from "../components/Filters.tsx"
import { Siren } from "../components/Icon.tsx"
import { Notice } from "../components/Notice.tsx"
import { iconOf, labelOf } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import { countText } from "../components/NumberFormat.ts"
import { StateCountsText } from "../slos/StateCounts.tsx"
import stateCss from "../components/State.module.css"
import css from "./Home.module.css"

type Service = Overview["services"][number]

/** Every service by project, with the most urgent state of its SLOs. */
export const ServiceMap = ({
  services,
  hasMore,
}: {
  readonly services: ReadonlyArray<Service>
  /** Whether there are SLOs that are not part of it. */
  readonly hasMore: boolean
}) => {
  const {
    values: { project },
    set,
  } = useFilters(["project"])
  const byProject = groupBy(services, (each) => each.project.name)
  const shown = [...byProject].filter(([name]) => project === "" || name === project)
  return (
    <section aria-labelledby="services">
      <div className={css.mapHead}>
        <h2 id="services">{t("Services")}</h2>
        {byProject.size > 1 && (
          <div className="no-kiosk">
            <Select
              aria-label={t("Project")}
              size="xs"
              all={t("All projects")}
              value={project}
              onChange={(next) => set({ project: next })}
              data={Array.from(byProject, ([name, [first]]) => ({
                value: name,
                label: first?.project.displayName || name,
              }))}
            />
          </div>
        )}
      </div>
      {hasMore && (
        <Notice kind="info">
          {t("There are more SLOs than this page reads. The list of SLOs has all of them.")}
        </Notice>
      )}
      {shown.map(([name, ofProject]) => (
        <section key={name} className={css.project} aria-label={ofProject[0]?.project.displayName || name}>
          <h3 className="dim">
            <bdi>{ofProject[0]?.project.displayName || name}</bdi>
          </h3>
          <ul className={css.map}>
            {ofProject.map((service) => (
              <li key={service.service.name}>
                <ServiceTile {...service} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  )
}

const ServiceTile = ({ project, service, state, states, openAlerts }: Service) => {
  const isMixed = objectiveStates.some((each) => each !== state && states[each] > 0)
  return (
    <Link
      href={`/slos?project=${encodeURIComponent(project.name)}&service=${encodeURIComponent(service.name)}`}
      className={`${css.service} ${stateCss[state]}`}
    >
      <strong title={service.displayName || service.name}>
        <bdi>{service.displayName || service.name}</bdi>
      </strong>
      <span className={css.serviceState}>
        {iconOf(state)} {labelOf(state)}
      </span>
      <span className={css.serviceFoot}>
        {isMixed ? (
          <StateCountsText counts={states} />
        ) : (
          <span className="dim small">
            {t("{count, plural, one {# SLO} other {# SLOs}}", { count: states[state] })}
          </span>
        )}
        {openAlerts > 0 && (
          <span className={css.serviceAlerts}>
            <Siren /> {countText(openAlerts)}
            <span className="visually-hidden">
              {" "}
              {t("{count, plural, one {open alert} other {open alerts}}", { count: openAlerts })}
            </span>
          </span>
        )}
      </span>
    </Link>
  )
}
