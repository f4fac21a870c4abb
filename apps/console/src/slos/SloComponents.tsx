import { useQueries } from "@tanstack/react-query"
import { objectiveState } from "@tocsin/domain/forms"
import { Link } from "wouter"
import { poll, pollMs } from "../api/Queries.ts"
import { Card } from "../components/Page.tsx"
import { StatusBadge } from "../components/StatusBadge.tsx"
import { t } from "../language/Text.tsx"
import { budgetText, reliabilityText, shareText } from "../components/NumberFormat.ts"
import { statusOptions } from "./SloQueries.ts"
import css from "./SloComponents.module.css"
import type { SloSpec } from "./SloSeries.ts"

type Component = NonNullable<SloSpec["objectives"][number]["composite"]>["components"]["objectives"][number]

/** The components of the composite objectives of an SLO: what each weighs, how it is, and its part in what is bad. */
export const SloComponents = ({ spec, project }: { readonly spec: SloSpec; readonly project: string }) =>
  spec.objectives.map(
    ({ name, displayName, composite }) =>
      composite !== undefined && (
        <Components
          key={name}
          title={t("Components of {objective}", { objective: displayName ?? name ?? "" })}
          project={project}
          components={composite.components.objectives}
        />
      ),
  )

const Components = ({
  title,
  project,
  components,
}: {
  readonly title: string
  readonly project: string
  readonly components: ReadonlyArray<Component>
}) => {
  const slos = [...new Map(components.map((each) => [keyOf(each, project), each])).values()]
  const found = useQueries({
    queries: slos.map((each) => ({
      ...statusOptions({ project: each.project ?? project, name: each.slo }),
      refetchInterval: poll(5 * pollMs),
    })),
  })
  const byKey = new Map(slos.map((each, at) => [keyOf(each, project), found[at]?.data]))
  const rows = components.map((component) => ({
    component,
    status: byKey.get(keyOf(component, project))?.objectives.find(({ name }) => name === component.objective),
  }))
  const weights = rows.reduce((sum, { component }) => sum + component.weight, 0)
  const badOf = ({ component, status }: (typeof rows)[number]): number =>
    component.weight * (1 - (status?.reliability ?? 1))
  const bad = rows.reduce((sum, row) => sum + badOf(row), 0)
  return (
    <Card title={title}>
      <div className={css.components} tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("Component")}</th>
              <th scope="col">{t("Status")}</th>
              <th scope="col" className="number">
                {t("Weight")}
              </th>
              <th scope="col" className="number">
                {t("SLI")}
              </th>
              <th scope="col" className="number">
                {t("Error budget")}
              </th>
              <th scope="col" className="number">
                {t("Share of unreliability")}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const { component, status } = row
              const { slo, objective, weight } = component
              return (
                <tr key={`${keyOf(component, project)} ${objective}`}>
                  <th scope="row">
                    <Link
                      href={`/slos/${component.project ?? project}/${slo}?objective=${encodeURIComponent(objective)}`}
                    >
                      <bdi>{slo}</bdi>
                    </Link>
                    <div className="dim small">
                      <bdi>{objective}</bdi>
                    </div>
                  </th>
                  <th scope="row">
                    {status !== undefined && <StatusBadge status={objectiveState(status)} />}
                  </th>
                  <td className="number">{shareText(weight / weights, 3)}</td>
                  <td className="number">
                    {status?.reliability === undefined ? t("no data") : reliabilityText(status.reliability)}
                  </td>
                  <td className="number">
                    {status?.errorBudgetRemainingPercentage === undefined
                      ? t("no data")
                      : budgetText(status.errorBudgetRemainingPercentage)}
                  </td>
                  <td className="number">{bad > 0 ? shareText(badOf(row) / bad, 3) : "–"}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <p className="dim small">
        {t("The shares come from the reliability of each component in its own time window.")}
      </p>
    </Card>
  )
}

const keyOf = (component: Component, project: string): string =>
  `${component.project ?? project}/${component.slo}`
