import { definitionToJson, silenceState, type TimedDefinition } from "@tocsin/domain"
import { type Definition, definitionKey, periodOf, type WrittenSilence } from "@tocsin/domain/adapter"
import {
  indicatorQueries,
  isCompositeObjective,
  type MetricAgent,
  plainOf,
  type Slo,
  storedIndicatorName,
  typeOfAgent,
} from "@tocsin/domain/definitions"
import { definitionKeyText, type OrganizationId } from "@tocsin/domain/kernel"
import { DefinitionHistory } from "@tocsin/domain/ports"
import { windowAt } from "@tocsin/domain/slo"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Kinds that say who created them, and when. */
const kindsWithCreator = new Set<Definition["kind"]>(["Project", "SLO", "Report"])

/** Definitions of one kind as the public clients read them: with what the service computes. Source: spec/clients §2. */
export const clientDocuments = Effect.fnUntraced(function* (
  organization: OrganizationId,
  items: ReadonlyArray<TimedDefinition>,
  vendorPrefix: string,
) {
  const now = yield* Clock.currentTimeMillis
  const keys = items.flatMap(({ definition }) =>
    kindsWithCreator.has(definition.kind) ? [definitionKey(definition)] : [],
  )
  const history = yield* DefinitionHistory
  const creators = keys.length === 0 ? new Map() : yield* history.creators(organization, keys)
  return items.map(({ definition, createdAt, updatedAt }): object => {
    const written = definition.kind === "SLO" ? withMetricSource(definition) : definition
    const json = definitionToJson(written, vendorPrefix)
    const createdBy = creators.get(definitionKeyText(definitionKey(definition)))
    const created = kindsWithCreator.has(definition.kind) && {
      ...(createdAt !== undefined && { createdAt: secondText(createdAt) }),
      ...(createdBy !== undefined && { createdBy }),
    }
    switch (definition.kind) {
      case "Agent":
        return { ...json, status: { agentType: dataSourceType(definition), environment: {} } }
      case "AlertSilence":
        return createdAt === undefined || updatedAt === undefined
          ? json
          : { ...json, status: silenceStatus({ definition, updatedAt }, createdAt, now) }
      case "Direct":
        return { ...json, status: { directType: dataSourceType(definition) } }
      case "Project":
        return { ...json, spec: { ...json.spec, ...created } }
      case "Report": {
        const updated = updatedAt !== undefined && { updatedAt: secondText(updatedAt) }
        return { ...json, spec: { ...json.spec, ...created, ...updated } }
      }
      case "SLO": {
        const { range, endsAt } = windowAt(definition.spec.timeWindow, now)
        const period = { begin: secondText(range.from), end: secondText(endsAt ?? range.to) }
        const { timeWindows = [] }: { readonly timeWindows?: ReadonlyArray<object> } = json.spec
        return {
          ...json,
          spec: {
            ...json.spec,
            timeWindows: timeWindows.map((window) => ({ ...window, period })),
            ...created,
          },
          ...(updatedAt !== undefined && { status: { updatedAt: secondText(updatedAt) } }),
        }
      }
      default:
        return json
    }
  })
})

/**
 * An SLO for clients that drop an indicator which they do not know, and require one: with a data source that stands for the stored
 * indicator, and its queries in each objective. An SLO with a data source of its own stays as it is. Source: spec/client-slos §2.
 */
const withMetricSource = (slo: Slo): Slo => {
  const { indicator, objectives } = slo.spec
  if (indicator?.metricSource !== undefined || plainOf(objectives).length === 0) return slo
  const { project } = slo.metadata
  return {
    ...slo,
    spec: {
      ...slo.spec,
      indicator: { metricSource: { kind: "Agent", project, name: storedIndicatorName } },
      objectives: objectives.map((objective, index) =>
        isCompositeObjective(objective)
          ? objective
          : // Clients require different values.
            { value: index + 1, ...objective, ...indicatorQueries(indicator, objective) },
      ),
    },
  }
}

/** When a silence begins and ends: of one that recurs, its current or next period as far as it is known. */
const silenceStatus = (silence: WrittenSilence, createdAt: number, now: number) => {
  const { period, recurrence } = silence.definition.spec
  const state = silenceState(silence, now)
  const { from, to } =
    recurrence === undefined
      ? periodOf(period, silence.updatedAt)
      : { from: state.startsAt, to: state.endsAt }
  return {
    ...(from !== undefined && { from: secondText(from) }),
    ...(to !== undefined && { to: secondText(to) }),
    createdAt: secondText(createdAt),
    updatedAt: secondText(silence.updatedAt),
  }
}

/** As the clients write times, which do not read fractions everywhere. */
const secondText = (timeMs: number): string => `${new Date(timeMs).toISOString().slice(0, 19)}Z`

/** The type of a data source as the clients name it in its status. */
const dataSourceType = (agent: MetricAgent): string => {
  const type = typeOfAgent(agent)
  return otherNames.get(type) ?? `${type.slice(0, 1).toUpperCase()}${type.slice(1)}`
}

const otherNames: ReadonlyMap<string, string> = new Map([
  ["gcm", "GoogleCloudMonitoring"],
  ["influxdb", "InfluxDB"],
  ["opentsdb", "OpenTSDB"],
])
