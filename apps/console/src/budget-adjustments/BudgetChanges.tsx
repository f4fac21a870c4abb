import type { BudgetChange } from "@tocsin/api"
import { Button, Stack } from "@mantine/core"
import { bodyOf, client } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { usePages } from "../api/Queries.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { DateTime } from "../components/RelativeTime.tsx"
import { t } from "../language/Text.tsx"
import { BudgetEffects } from "./BudgetEffects.tsx"

/**
 * Who changed an adjustment and when, and what that did to its SLOs, or to one of them. Also of an adjustment that was
 * deleted.
 */
export const BudgetChanges = ({
  adjustment: { project, name },
  slo,
}: {
  readonly adjustment: DefinitionKey
  readonly slo?: DefinitionKey
}) => {
  const { query, items: changes } = usePages(["budget-changes", project, name], (cursor, signal) =>
    bodyOf(
      client.GET("/api/budget-adjustments/changes", {
        params: { query: { project, name, limit: 5, cursor } },
        signal,
      }),
    ),
  )
  return (
    <>
      <QueryError query={query} />
      {query.isPending && <p className="dim small">{t("Loading…")}</p>}
      {changes?.length === 0 && <p className="dim">{t("No changes are stored.")}</p>}
      <Stack gap="lg">
        {changes?.map((change) => (
          <section key={change.id} aria-label={t("Change")}>
            <p>
              <strong>{outcomeText(change, name)}</strong>{" "}
              <span className="dim">
                <DateTime at={change.at} />{" "}
                {change.author !== undefined && t("by {author}", { author: change.author })}
              </span>
            </p>
            <BudgetEffects effects={effectsOn(slo, change.effects)} />
          </section>
        ))}
      </Stack>
      {query.hasNextPage && (
        <div>
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {t("Load older changes")}
          </Button>
        </div>
      )}
    </>
  )
}

const effectsOn = (slo: DefinitionKey | undefined, effects: BudgetChange["effects"]) =>
  slo === undefined
    ? effects
    : {
        ...effects,
        objectives: effects.objectives.filter(
          (each) => each.slo === slo.name && each.project === slo.project,
        ),
      }

const outcomeText = ({ adjustments }: BudgetChange, name: string): string => {
  const outcome =
    adjustments.find(({ definition }) => definition.metadata.name === name)?.outcome ?? "updated"
  return { created: t("Created"), updated: t("Updated"), deleted: t("Deleted") }[outcome]
}
