import {
  type Access,
  atRiskBelow,
  objectiveState,
  objectiveStates,
  readSloMetrics,
  requireRole,
  type Role,
  type SloRecord,
} from "@tocsin/domain"
import { overallTrack, TaggedError } from "@tocsin/domain/adapter"
import {
  type Codec,
  decode,
  described,
  eitherOf,
  isObject,
  type Issue,
  list,
  literals,
  minuteMs,
  minuteOf,
  number,
  object,
  optional,
  plain,
  string,
  utcInstant,
} from "@tocsin/domain/codec"
import { objectivesOf } from "@tocsin/domain/definitions"
import { backtestFields } from "@tocsin/domain/features/backtest"
import { labelSelector, labelsMatch, objectName, sloName } from "@tocsin/domain/kernel"
import { alertIdMaxCharacters, backtestRangeMaxDays, requestBodyMaxBytes } from "@tocsin/domain/limits"
import { AlertNotFound, enforceRateLimit } from "@tocsin/domain/ports"
import { costly, costlyListUnits, costlyReadsPolicy, listSlosPolicy } from "@tocsin/domain/rate-limit"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type CallApi, type CallFailed, callJson, errorsOf } from "./McpCall.ts"

/** Most SLOs that `list_slos` returns. */
const listedSlosMax = 500

/** SLOs that `list_slos` returns by default. */
export const listedSlosDefault = 50

/** Most open alerts that `get_slo` returns. */
const openAlertsMax = 50

/** Nothing was read or changed. */
export class ToolArgumentsAreInvalid extends TaggedError("ToolArgumentsAreInvalid")<{
  readonly issues: ReadonlyArray<Issue>
}> {}

/** Who calls a tool, and the API with their access. */
interface ToolContext {
  readonly access: Access
  readonly api: CallApi
}

const tool = <const Name extends string, A, E, R>(definition: {
  readonly name: Name
  readonly title: string
  /** For the assistant. */
  readonly description: string
  /** What the credential must have. */
  readonly role: Role
  /** Whether the tool can change what is stored. */
  readonly isDestructive?: true
  readonly input: Codec<A>
  /** `given` are the arguments as they were sent. */
  readonly run: (
    context: ToolContext,
    input: A,
    given: Readonly<Record<string, unknown>>,
  ) => Effect.Effect<object, E, R>
}) => {
  const { name, title, description, role, isDestructive = false, input, run } = definition
  return {
    name,
    role,
    /** What an assistant reads. */
    listed: () => ({
      name,
      title,
      description,
      inputSchema: inputSchemaOf(input),
      annotations: {
        title,
        readOnlyHint: !isDestructive,
        destructiveHint: isDestructive,
        idempotentHint: true,
        openWorldHint: false,
      },
    }),
    /** Fails with `RoleIsInsufficient`, `ToolArgumentsAreInvalid`, and as the operation of the API does. */
    call: (context: ToolContext, given: unknown = {}) =>
      Effect.gen(function* () {
        yield* requireRole(context.access, role)
        const decoded = decode(input, given, {})
        if (Result.isFailure(decoded)) return yield* new ToolArgumentsAreInvalid({ issues: decoded.failure })
        return yield* run(context, decoded.success, isObject(given) ? given : {})
      }),
  }
}

const inputSchemaOf = ({ schema }: Pick<Codec<unknown>, "schema">) => {
  const document = Schema.toJsonSchemaDocument(schema(), { onExcessProperty: "error" })
  return {
    ...document.schema,
    type: "object" as const,
    ...(Object.keys(document.definitions).length > 0 && { $defs: document.definitions }),
  }
}

const project = described(objectName, "Project of the SLO")
const slo = described(sloName, "Name of the SLO")

const listSlosTool = tool({
  name: "list_slos",
  title: "List SLOs",
  description: `Lists SLOs with the status and the error budget of each objective, in the order of project and name. Statuses: breached (the error budget is exhausted), atRisk (less than ${atRiskBelow * 100}% of it remains), healthy, noData. errorBudgetRemainingPercentage is a fraction: 1 is the full budget, 0 or less is exhausted. Returns how many SLOs match, and the first of them.`,
  role: "viewer",
  input: object({
    project: optional(described(objectName, "Name of a project. Default: all projects")),
    labels: optional(
      described(
        labelSelector,
        "Comma-separated key=value pairs, all of which the SLO has, such as team=payments,env=prod. Pairs with the same key: one of the values",
      ),
    ),
    states: optional(
      described(
        list(literals(objectiveStates)),
        "Only SLOs with an objective that has one of these statuses, such as breached and atRisk. Default: all",
      ),
    ),
    limit: optional(
      described(
        number({ min: 1, max: listedSlosMax, isInteger: true }),
        `Maximum number of SLOs to return. Default: ${listedSlosDefault}`,
      ),
    ),
  }),
  run: ({ access: { organization } }, { project, labels, states = [], limit = listedSlosDefault }) =>
    Effect.gen(function* () {
      yield* enforceRateLimit(organization, listSlosPolicy)
      const records = yield* readSloMetrics(organization, project).pipe(
        costly(organization, costlyReadsPolicy, costlyListUnits),
      )
      const matching = records
        .filter(({ slo }) => labels === undefined || labelsMatch(slo.metadata.labels, labels.filter))
        .map(summaryOf)
        .filter(
          ({ objectives }) => states.length === 0 || objectives.some(({ state }) => states.includes(state)),
        )
      return { total: matching.length, slos: matching.slice(0, limit) }
    }),
})

/** The legacy composite is an objective without a name. */
const summaryOf = ({ slo, statuses, service }: SloRecord) => {
  const { project, name, displayName, labels } = slo.metadata
  const objectives = [
    ...objectivesOf(slo).map(({ name, target }) => ({ track: name, name, target })),
    ...(slo.spec.composite === undefined ? [] : [{ track: overallTrack, target: slo.spec.composite.target }]),
  ]
  return {
    project,
    name,
    ...(displayName !== undefined && { displayName }),
    service: service.name,
    ...(labels !== undefined && { labels }),
    objectives: objectives.map(({ track, ...objective }) => {
      const status = statuses.get(track) ?? {}
      return { ...objective, state: objectiveState(status), ...status }
    }),
  }
}

const getSloTool = tool({
  name: "get_slo",
  title: "Get an SLO",
  description: `Returns an SLO with the status of its objectives, the forecast of when each error budget is exhausted, and its newest open alerts, at most ${openAlertsMax}. errorBudgetRemaining is in seconds; percentages are fractions of 1. Metrics without data are omitted.`,
  role: "viewer",
  input: object({ project, slo }),
  run: ({ api }, { project, slo }) => {
    const headers = { project }
    const name = encodeURIComponent(slo)
    return Effect.all({
      slo: callJson(api, { method: "GET", target: `/api/v2/slos/${name}`, headers }),
      forecast: callJson(api, { method: "GET", target: `/api/slos/${name}/forecast`, headers }),
      openAlerts: readAlerts(api, project, { slo, status: "triggered" }, openAlertsMax),
    })
  },
})

const explainAlertTool = tool({
  name: "explain_alert",
  title: "Explain an alert",
  description:
    "Returns which conditions of an alert policy were met, and why: when an alert triggered (alertId), or for the objectives of an SLO at any time (project, slo, alertPolicy and at). Computed from the counts known now, which may include some that arrived later.",
  role: "viewer",
  input: object(
    {
      alertId: optional(
        described(
          string({ max: alertIdMaxCharacters }),
          "ID of an alert, as get_slo returns it in metadata.name",
        ),
      ),
      project: optional(project),
      slo: optional(slo),
      alertPolicy: optional(described(objectName, "Name of an alert policy of the project")),
      at: optional(described(utcInstant, "With slo: the time to explain, in UTC. Default: now")),
    },
    {
      rules: (place) => {
        eitherOf<"alertId" | "slo">("alertId", "slo")(place)
        const needed = ["project", "alertPolicy"] as const
        if (place.has("slo")) {
          for (const name of needed) {
            if (!place.has(name)) place.issues.add(place.at(name), "required", "is required with slo")
          }
        } else {
          for (const name of [...needed, "at"] as const) {
            if (place.has(name)) place.issues.add(place.at(name), "mutually_exclusive", "is only for slo")
          }
        }
      },
    },
  ),
  run: ({ api }, { alertId, project = "", slo = "", alertPolicy = "", at }) =>
    Effect.gen(function* () {
      if (alertId === undefined) {
        const now = yield* Clock.currentTimeMillis
        if (at !== undefined && at > now) {
          const issue = { path: "at", code: "out_of_range", message: "must not be in the future" } as const
          return yield* new ToolArgumentsAreInvalid({ issues: [issue] })
        }
        return yield* explainAt(api, { project, name: slo, alertPolicy }, at ?? now)
      }
      const [alert] = yield* readAlerts(api, "*", { name: alertId }, 1)
      if (alert === undefined) return yield* new AlertNotFound()
      const { spec } = alert
      if (spec.alertPolicy === undefined) return { alert, note: externalNote }
      if (spec.anomaly !== undefined) return { alert, note: anomalyNote }
      const key = { ...spec.slo, alertPolicy: spec.alertPolicy.name }
      const explained = yield* explainAt(api, key, Date.parse(spec.triggeredClockTime)).pipe(
        Effect.map((explanation) => ({ explanation })),
        Effect.catchIf(isDeleted, () => Effect.succeed({ note: deletedNote })),
      )
      return { alert, ...explained }
    }),
})

const externalNote =
  "Another system reported this alert. Its conditions are those that the system sent; they cannot be explained from counts."

const anomalyNote =
  "The alert is about missing data: no counts were recorded for the time in anomaly.alertAfter."

const deletedNote =
  "The SLO or the alert policy no longer exists. alert.spec.conditions has the conditions that were met, and conditionTexts has them in words."

const isDeleted = ({ response }: CallFailed): boolean =>
  errorsOf(response).some(({ code = "" }) => code === "slo_not_found" || code === "alert_policy_not_found")

/** As the policy is evaluated at the beginning of a minute. */
const explainAt = (
  api: CallApi,
  key: { readonly project: string; readonly name: string; readonly alertPolicy: string },
  at: number,
) => {
  const to = minuteOf(at)
  const { project, name, alertPolicy } = key
  const query = new URLSearchParams({ alertPolicy, from: timeText(to - minuteMs), to: timeText(to) })
  const target = `/api/slos/${encodeURIComponent(name)}/explain?${query}`
  return callJson(api, { method: "GET", target, headers: { project } })
}

const backtestTool = tool({
  name: "backtest_policy",
  title: "Backtest an alert policy",
  description: `Returns the alerts that an alert policy would have triggered for an SLO over at most ${backtestRangeMaxDays} days of recorded counts: a stored policy (alertPolicy), or one that is not stored (definition). Use it to compare thresholds before a policy is applied. Costly: an organization runs one at a time.`,
  role: "viewer",
  // `backtestPolicy` reads the other properties.
  input: {
    ...object({ project, slo }, { isOpen: true }),
    schema: object({ project, slo, ...backtestFields }).schema,
  },
  run: ({ api }, { project, slo }, { project: _project, slo: _slo, ...body }) =>
    callJson(api, {
      method: "POST",
      target: `/api/slos/${encodeURIComponent(slo)}/backtest`,
      headers: { project, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
})

const definitionsInput = {
  definitions: described(
    string({ max: requestBodyMaxBytes }),
    "Definitions of projects, services, SLOs, alert policies, alert methods and others: YAML documents separated by ---, or a JSON object or array",
  ),
  format: optional(described(literals(["yaml", "json"]), "Format of definitions. Default: yaml")),
}

const apply = (
  { api }: ToolContext,
  { definitions, format = "yaml" }: { readonly definitions: string; readonly format?: "yaml" | "json" },
  query = "",
) =>
  callJson(api, {
    method: "PUT",
    target: `/api/apply${query}`,
    headers: { "content-type": `application/${format}` },
    body: definitions,
  })

const dryRunTool = tool({
  name: "dry_run_apply",
  title: "Validate definitions",
  description:
    "Validates definitions as apply does, and returns which would be created, updated or unchanged, each as it is stored and as it would be. Stores nothing. Reports all errors at once, with path and code, or warnings: show them to a person too.",
  role: "editor",
  input: object(definitionsInput),
  run: (context, input) => apply(context, input, "?dry_run=true"),
})

const applyTool = tool({
  name: "apply",
  title: "Apply definitions",
  description:
    "Creates or replaces definitions, all or none, and returns which were created, updated or unchanged. Call dry_run_apply first, show a person what would change, and call apply only after they have agreed.",
  role: "editor",
  isDestructive: true,
  input: object({
    ...definitionsInput,
    confirm: described(
      plain(
        () => Schema.Literal(true),
        (value, path, issues) =>
          value === true ||
          issues.add(path, "not_allowed_value", "must be true, once a person has agreed to the changes"),
      ),
      "true: a person has agreed to the changes",
    ),
  }),
  run: (context, input) => apply(context, input),
})

/** What assistants can call; each counts toward the limits of the operation of the API that does the same. */
export const tools = [
  listSlosTool,
  getSloTool,
  explainAlertTool,
  backtestTool,
  dryRunTool,
  applyTool,
] as const

const timeText = (ms: number): string => new Date(ms).toISOString()

/** What is read of the document of an alert. */
interface AlertDocument {
  readonly spec: {
    readonly slo: { readonly project: string; readonly name: string }
    readonly alertPolicy?: { readonly name: string }
    readonly anomaly?: unknown
    readonly triggeredClockTime: string
  }
}

const readAlerts = (
  api: CallApi,
  project: string,
  filter: Readonly<Record<string, string>>,
  limit: number,
): Effect.Effect<ReadonlyArray<AlertDocument>, CallFailed> => {
  const query = new URLSearchParams({ ...filter, limit: `${limit}` })
  return callJson(api, { method: "GET", target: `/api/get/alert?${query}`, headers: { project } })
}
