import { deliveries } from "@tocsin/api"
import { alertStatuses, deliveryStates } from "@tocsin/domain"
import { durationToMs } from "@tocsin/domain/codec"
import { kindFromText } from "@tocsin/domain/definitions"
import { InvalidArgumentError } from "commander"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type ApiClient, operationsOf } from "../client/ApiClient.ts"
import { listObjects } from "../client/Objects.ts"
import { progressOutput, type ReportProgress, withProgress } from "../terminal/Progress.ts"
import { apiClient, CommandFailed } from "./CommandContext.ts"
import { work } from "./Commands.ts"
import { findObject } from "./FindObject.ts"
import { organization, parsedDefault, project, requiredParsed, url, type ValuesOf } from "./Flags.ts"
import { at, text } from "./ObjectColumns.ts"
import { findSlo, type ObjectiveStatus, objectivesOf, statusOf } from "./SloStatuses.ts"

/** Interval between two reads of an object that is waited for, in milliseconds. */
const waitMs = 1_000

/** Longest time to wait, in milliseconds. */
const timeoutMaxMs = 86_400_000

/** The statuses of what has one, by kind. */
const statusesByKind: Readonly<Record<string, ReadonlyArray<string>>> = {
  slo: ["healthy", "at-risk", "breached", "no-data"] satisfies ReadonlyArray<ObjectiveStatus>,
  alert: alertStatuses,
  delivery: deliveryStates,
}

const flags = {
  for: requiredParsed("<condition>", "what to wait for", conditionOf),
  timeout: parsedDefault("<duration>", "how long to wait, such as 30s, 5m or 1h", timeoutOf, "5m"),
  ...project,
  ...organization,
  ...url,
}

type WaitFlags = ValuesOf<typeof flags>

export const waitCommand = work(
  {
    summary: "wait until objects have a status",
    description: `Wait until all objects meet a condition, such as a status. Fails when the timeout expires, or when an object can no longer meet the condition.

Conditions:
  create           the object exists
  delete           the object does not exist
  status=<status>  the object has a status:
                   an SLO: ${statusesByKind["slo"]?.join(", ")}
                   (its worst objective counts)
                   an alert: ${alertStatuses.join(", ")}
                   a delivery: ${deliveryStates.join(", ")}`,
    arguments: { "object...": "kind/name, such as slo/checkout, alert/<id> or delivery/<id>" },
    flags,
    examples:
      "  # After counts were imported\n  $ tocsin wait slo/checkout-latency --for=status=healthy --timeout 10m\n\n  # Until a notification is delivered\n  $ tocsin wait delivery/0198e2d6-5e0a-7c53-9b04-1f6f0c1c9d11 --for=status=delivered",
  },
  ({ object: objects, ...flags }, context) =>
    Effect.gen(function* () {
      const named = yield* Effect.forEach(objects, (object) => readNamed(object, flags.for))
      const client = yield* apiClient(flags, context)
      let last = "the server has not responded"
      const waiting = withProgress(progressOutput(context.environment), "Waiting", (report) =>
        Effect.forEach(named, (each) =>
          untilMet(client, each, flags, (state) =>
            Effect.andThen(
              Effect.sync(() => void (last = state)),
              report(`Waiting: ${state}`),
            ),
          ),
        ),
      )
      const met = yield* Effect.timeoutOption(waiting, flags.timeout.ms)
      if (Option.isNone(met))
        return yield* new CommandFailed({ message: `timed out after ${flags.timeout.text}: ${last}` })
      for (const line of met.value) yield* Console.log(line)
    }),
)

type Condition = { readonly is: "create" | "delete" } | { readonly is: "status"; readonly status: string }

/** An object as the user typed it. */
interface Named {
  readonly object: string
  readonly kind: string
  readonly name: string
}

const readNamed = (object: string, condition: Condition): Effect.Effect<Named, CommandFailed> => {
  const slash = object.indexOf("/")
  const kind = slash === -1 ? "" : object.slice(0, slash).toLowerCase()
  const name = object.slice(slash + 1)
  const failed = (problem: string) => Effect.fail(new CommandFailed({ message: `${object}: ${problem}` }))
  if (kind === "" || name === "") return failed("specify kind/name, such as slo/checkout")
  const known = { delivery: "delivery", deliveries: "delivery", alert: "alert", alerts: "alert" }[kind]
  const ofKind = known ?? kindFromText(kind)?.toLowerCase() ?? kind
  if (condition.is === "status") {
    const statuses = statusesByKind[ofKind]
    if (statuses === undefined)
      return failed(`has no status to wait for; ${Object.keys(statusesByKind).join(", ")} have one`)
    if (!statuses.includes(condition.status))
      return failed(`has no status ${condition.status}; the statuses of ${ofKind} are ${statuses.join(", ")}`)
  } else if (ofKind === "delivery") {
    return failed("deliveries can only be waited for by status, such as --for=status=delivered")
  }
  return Effect.succeed({ object, kind: ofKind, name })
}

/** Waits for one object, and returns what to print of it. `report` gets its state whenever it was read. */
const untilMet = (
  client: ApiClient,
  named: Named,
  { for: condition, project }: WaitFlags,
  report: ReportProgress,
) =>
  Effect.gen(function* () {
    for (;;) {
      const state =
        condition.is === "status"
          ? yield* readStatus(client, named, project)
          : yield* readExistence(client, named, project)
      yield* report(`${named.object} ${stateText(state)}`)
      if (state.now === (condition.is === "status" ? condition.status : condition.is))
        return `${named.object} ${stateText(state)}`
      if (state.isFinal)
        return yield* new CommandFailed({
          message: `${named.object} ${stateText(state)}, which is final`,
        })
      yield* Effect.sleep(waitMs)
    }
  })

interface State {
  /** A status; or the condition that is met. */
  readonly now: string
  readonly isFinal: boolean
}

const stateText = ({ now }: State): string =>
  ({
    create: "exists",
    delete: "does not exist",
    computing: "has a new definition, whose status is not computed yet",
  })[now] ?? `is ${now}`

const readExistence = (client: ApiClient, { kind, name }: Named, project: string) =>
  Effect.map(listObjects(client, kind, { project, name: [name] }), ({ length }): State => ({
    now: length > 0 ? "create" : "delete",
    isFinal: false,
  }))

const readStatus = (client: ApiClient, { kind, name }: Named, project: string) =>
  Effect.gen(function* () {
    if (kind === "delivery") {
      const { state } = yield* operationsOf(deliveries, client.call).findDelivery({ id: name })
      return { now: state, isFinal: settledStates.includes(state) } satisfies State
    }
    const object = yield* findObject(client, kind, project, name)
    if (kind === "alert") {
      const now = text(at(object, "spec.status")).toLowerCase()
      return { now, isFinal: now !== "triggered" } satisfies State
    }
    const objectives = objectivesOf(yield* findSlo(client, project, name))
    if (objectives.some(({ isOutdated }) => isOutdated === true)) return { now: "computing", isFinal: false }
    const statuses = objectives.map(statusOf)
    return {
      now: worstFirst.find((status) => statuses.includes(status)) ?? "no-data",
      isFinal: false,
    } satisfies State
  })

/** Only a resend changes them. */
const settledStates: ReadonlyArray<string> = ["delivered", "exhausted", "failed"]

/** An objective without data could be in any state: an SLO with one is not healthy. */
const worstFirst: ReadonlyArray<ObjectiveStatus> = ["breached", "at-risk", "no-data", "healthy"]

interface Timeout {
  readonly text: string
  readonly ms: number
}

function timeoutOf(text: string): Timeout {
  const ms = durationToMs(text)
  if (ms !== undefined && ms > 0 && ms <= timeoutMaxMs) return { text, ms }
  throw new InvalidArgumentError("It must be a duration of more than 0 and at most 24h, such as 30s or 5m.")
}

function conditionOf(text: string): Condition {
  if (text === "create" || text === "delete") return { is: text }
  const status = /^status=(.+)$/.exec(text)?.[1]
  if (status !== undefined) return { is: "status", status: status.toLowerCase() }
  throw new InvalidArgumentError("It must be create, delete or status=<status>, such as status=healthy.")
}
