import type * as SqlClient from "effect/sql/SqlClient"
import type { OrganizationId } from "@tocsin/domain/metadata/ObjectKey"
import type { DefinitionChange } from "@tocsin/domain/definition/DefinitionStore"
import { serverOf } from "@tocsin/domain/data-source/IndicatorStore"
import { storedIndicator } from "@tocsin/domain/slo/Indicator"
import * as Effect from "effect/Effect"
import { keyArrays, texts } from "../database/Parameters.ts"

/**
 * Updates the polls of indicators after the SLOs of a change were written. A new or changed indicator is read from the
 * start, due at once; an unchanged one keeps its progress.
 */
export const putIndicators = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  put: DefinitionChange["put"],
  now: number,
) =>
  Effect.gen(function* () {
    const slos = put.flatMap(({ definition }) => (definition.kind === "SLO" ? [definition] : []))
    const without = slos.filter(({ spec }) => spec.indicator === undefined).map(({ metadata }) => metadata)
    if (without.length > 0) {
      yield* sql`
        DELETE FROM indicator_polls i USING unnest(
          ${keyArrays(sql, without)}) AS k (project, slo)
        WHERE i.organization = ${organization} AND i.project = k.project AND i.slo = k.slo`
    }
    const polls = slos.flatMap(({ metadata, spec: { indicator } }) =>
      indicator === undefined
        ? []
        : [{ ...metadata, indicator: storedIndicator.write(indicator).json, server: serverOf(indicator) }],
    )
    if (polls.length === 0) return
    yield* sql`
      INSERT INTO indicator_polls AS i (organization, project, slo, indicator, server, due_at)
      SELECT ${organization}, project, slo, indicator, server, ${now}::bigint FROM unnest(
        ${keyArrays(sql, polls)},
        ${texts(polls.map(({ indicator }) => indicator))}, ${texts(polls.map(({ server }) => server))}
      ) AS given (project, slo, indicator, server)
      ON CONFLICT (organization, project, slo) DO UPDATE SET
        indicator = excluded.indicator, server = excluded.server, due_at = excluded.due_at,
        read_to = 0, failures = 0, succeeded_at = NULL, problem = NULL
        WHERE i.indicator <> excluded.indicator`
  })
