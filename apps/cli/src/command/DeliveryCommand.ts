import { type AlertMethodHealth, alertMethods, deliveries, type DeliveryLog, operator } from "@tocsin/api"
import { deliveryStates } from "@tocsin/domain"
import { defaultProjectName } from "@tocsin/domain/definitions"
import * as Effect from "effect/Effect"
import { isJson } from "../client/ClientConfig.ts"
import { apiClient, CommandFailed, printJson, resourceClient } from "./CommandContext.ts"
import { commands, listed, type MakeCommand, printed, work } from "./Commands.ts"
import { findObject } from "./FindObject.ts"
import { ensureProject } from "./ProjectOfCommand.ts"
import { client, count, given as flag, someOf, text } from "./Flags.ts"

type Verb = "pause" | "resume"

const paused = (verb: Verb, summary: string, description: string): MakeCommand =>
  work(
    {
      summary,
      description,
      arguments: { "name?": "name of the alert method" },
      flags: {
        project: text("<name>", 'project of the alert method (default: "default")', "p"),
        all: flag("all deliveries of the server; needs the master key"),
        ...client,
      },
      examples: `  # One alert method\n  $ tocsin delivery ${verb} on-call -p shop\n\n  # The whole server\n  $ tocsin delivery ${verb} --all`,
    },
    (given, context) =>
      Effect.gen(function* () {
        const { name, all } = given
        if ((name === undefined) !== (all === true))
          return yield* new CommandFailed({ message: "specify either an alert method or --all" })
        if (name === undefined && given.project !== undefined)
          return yield* new CommandFailed({
            message: `--all is the whole server and takes no --project; to ${verb} one alert method, give its name instead of --all`,
          })
        const project = given.project ?? defaultProjectName
        const state =
          name === undefined
            ? yield* (yield* resourceClient(operator, given, context))[`${verb}All`]({})
            : yield* (yield* resourceClient(alertMethods, given, context))[`${verb}AlertMethod`]({
                name,
                project,
              })
        const what = name === undefined ? "All deliveries" : `AlertMethod ${project}/${name}`
        yield* printJson(given, state, ({ inFlight }) => `${what} ${verb}d; in flight: ${inFlight}`)
      }),
  )

/** `health` is the health of its alert method while it waits. */
export const logText = (delivery: DeliveryLog, health: AlertMethodHealth | undefined): string => {
  const { alertMethod, slo, event, state, nextAttemptAt, settledAt, deliveredAt, attempts } = delivery
  const method = `${alertMethod.project}/${alertMethod.name}`
  const when =
    nextAttemptAt === undefined
      ? settledAt && `since ${settledAt}`
      : (delayText(method, nextAttemptAt, health) ?? `next attempt ${nextAttemptAt}`)
  return [
    `${event} of SLO ${slo.project}/${slo.name} to alert method ${method}`,
    `${state}${when === undefined ? "" : `, ${when}`}`,
    ...(deliveredAt === undefined || deliveredAt === settledAt ? [] : [`first delivered ${deliveredAt}`]),
    ...attempts.map(({ number, startedAt, durationMs, status, reason, detail, responseBody }) =>
      [
        `  ${number}  ${startedAt}  ${Math.round(durationMs)} ms`,
        status === undefined ? undefined : `HTTP ${status}`,
        reason ?? "delivered",
        detail,
        responseBody === undefined ? undefined : JSON.stringify(responseBody),
      ]
        .filter((part) => part !== undefined)
        .join("  "),
    ),
  ].join("\n")
}

/** Why a pending delivery is sent later than it is due. */
const delayText = (
  method: string,
  dueAt: string,
  health: AlertMethodHealth | undefined,
): string | undefined => {
  if (health?.isAllPaused === true) return "all deliveries of the server are paused"
  if (health?.isPaused === true) return `the deliveries of ${method} are paused`
  const until = health?.circuitOpenUntil
  return until !== undefined && until > dueAt
    ? `the circuit breaker of ${method} is open until ${until}`
    : undefined
}

export const deliveryCommand = commands(
  "list, resend, pause and resume deliveries",
  "List and resend deliveries of notifications, and pause or resume the deliveries of an alert method or of the whole server.",
  {
    list: listed(deliveries, "listDeliveries", {
      summary: "list deliveries",
      description: "List deliveries, newest first.",
      flags: {
        project: text("<name>", "filter by project of the alert method (default: all)", "p"),
        method: text("<name>", "filter by alert method (default: all)", "m"),
        status: someOf("<status...>", "filter by status (default: all)", deliveryStates, "s"),
        alert: text("<id>", "filter by alert"),
        from: text(
          "<date-time>",
          "filter by creation time: at or after this time, for example 2026-01-30T12:00:00Z",
        ),
        to: text("<date-time>", "filter by creation time: before this time"),
        limit: count("<count>", "number of deliveries", 20),
        ...client,
      },
      examples: "  $ tocsin delivery list --method on-call -s exhausted failed",
      request: ({ method, alert, status, ...given }) => ({
        ...given,
        alertMethod: method,
        alertId: alert,
        state: status,
      }),
      empty: "No deliveries.",
      checkEmpty: (given, context) =>
        Effect.gen(function* () {
          const { method, project } = given
          const api = yield* apiClient(given, context)
          if (method !== undefined) yield* findObject(api, "AlertMethod", project, method)
          else if (project !== undefined) yield* ensureProject(api, project)
        }),
      columns: {
        ID: ({ id }) => id,
        "ALERT METHOD": ({ alertMethod }) => `${alertMethod.project}/${alertMethod.name}`,
        EVENT: ({ event }) => event,
        SLO: ({ slo }) => `${slo.project}/${slo.name}`,
        STATUS: ({ state }) => state,
        ATTEMPTS: ({ attempt }) => String(attempt),
        CREATED: ({ createdAt }) => createdAt,
      },
    }),
    get: work(
      {
        summary: "print a delivery with its attempts",
        description: "Print a delivery with its latest attempts, and why they failed.",
        arguments: { id: "ID of the delivery, as printed by `list`" },
        flags: client,
        examples: "  $ tocsin delivery get 019c0eb2-5400-7c1e-8a55-0d1f6f6b2f10",
      },
      (given, context) =>
        Effect.gen(function* () {
          const delivery = yield* (yield* resourceClient(deliveries, given, context)).findDelivery(given)
          const health =
            delivery.nextAttemptAt === undefined || isJson(given)
              ? undefined
              : yield* Effect.orElseSucceed(
                  (yield* resourceClient(alertMethods, given, context)).findAlertMethodHealth(
                    delivery.alertMethod,
                  ),
                  // The alert method was deleted: the next attempt settles the delivery.
                  () => undefined,
                )
          yield* printJson(given, delivery, (printed) => logText(printed, health))
        }),
    ),
    resend: printed(deliveries, "resendDelivery", {
      summary: "resend a delivery",
      description: "Resend a delivery, with the same ID. To resend many, use `tocsin resend start`.",
      arguments: { id: "ID of the delivery, as printed by `list`" },
      flags: client,
      examples: "  $ tocsin delivery resend 019c0eb2-5400-7c1e-8a55-0d1f6f6b2f10",
      text: ({ id, state }) => `Delivery ${id} ${state}`,
    }),
    pause: paused(
      "pause",
      "pause deliveries",
      "Pause deliveries. New notifications wait in the queue; attempts in flight are completed.",
    ),
    resume: paused("resume", "resume deliveries", "Resume deliveries, starting with the waiting ones."),
  },
)
