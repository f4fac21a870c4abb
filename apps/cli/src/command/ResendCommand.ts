import { type ResendCount, resends } from "@tocsin/api"
import { defaultProjectName } from "@tocsin/domain/definitions"
import { resendableStates } from "@tocsin/domain/features/resend"
import * as Effect from "effect/Effect"
import { apiClient, CommandFailed } from "./CommandContext.ts"
import { commands, listed, printed } from "./Commands.ts"
import { findObject } from "./FindObject.ts"
import { client, dryRun, someOf, text } from "./Flags.ts"

export const resendCommand = commands(
  "resend deliveries in bulk",
  "Resend undelivered (exhausted or failed) deliveries, or others by status, in bulk.",
  {
    start: printed(resends, "resendDeliveries", {
      summary: "resend undelivered deliveries",
      description: "Resend undelivered (exhausted or failed) deliveries, or others by status, in batches.",
      flags: {
        method: text("<name>", "filter by alert method (default: all)", "m"),
        project: text("<name>", 'project of the alert method (default: "default")', "p"),
        status: someOf(
          "<status...>",
          "filter by status (default: exhausted and failed)",
          resendableStates,
          "s",
        ),
        from: text(
          "<date-time>",
          "filter by creation time: at or after this time (UTC), for example 2026-01-30T12:00:00Z",
        ),
        to: text("<date-time>", "filter by creation time: before this time (UTC)"),
        ...dryRun("count the deliveries without resending them"),
        ...client,
      },
      examples:
        "  # Count the undelivered deliveries of an alert method\n  $ tocsin resend start --method on-call -p shop --dry-run\n\n  # Resend all undelivered deliveries since a time\n  $ tocsin resend start --from 2026-01-30T12:00:00Z",
      request: ({ method, project, status, from, to, dryRun, ...flags }, context) =>
        Effect.gen(function* () {
          if (method === undefined && project !== undefined)
            return yield* new CommandFailed({
              message: "--project needs --method; to resend the deliveries of all alert methods, omit both",
            })
          const alertMethod =
            method === undefined ? undefined : { project: project ?? defaultProjectName, name: method }
          // The server rejects the name too, but does not suggest another.
          if (alertMethod !== undefined)
            yield* findObject(
              yield* apiClient(flags, context),
              "AlertMethod",
              alertMethod.project,
              alertMethod.name,
            )
          return { body: { alertMethod, states: status, from, to, dryRun } }
        }),
      text: (json) =>
        "id" in json
          ? `Resending ${countText(json)} deliveries; bulk resend ${json.id}`
          : `Deliveries to resend: ${countText(json)}`,
    }),
    list: listed(resends, "listResends", {
      summary: "list bulk resends",
      description: "List the bulk resends newest first.",
      flags: client,
      empty: "No bulk resends.",
      columns: {
        ID: ({ id }) => id,
        STATUS: ({ state }) => state,
        RESENT: ({ resent }) => String(resent),
        OF: (resend) => countText(resend),
        CREATED: ({ createdAt }) => createdAt,
      },
    }),
    get: printed(resends, "findResend", {
      summary: "print a bulk resend",
      description: "Print the status of a bulk resend.",
      arguments: { id: "ID of the bulk resend, as printed by `list`" },
      flags: client,
      text: (resend) =>
        `${resend.id}  ${resend.state.padEnd(9)}  ${resend.resent} of ${countText(resend)} resent  created ${resend.createdAt}`,
    }),
    cancel: printed(resends, "cancelResend", {
      summary: "cancel a bulk resend",
      description: "Cancel a bulk resend. Deliveries that are already queued are still sent.",
      arguments: { id: "ID of the bulk resend, as printed by `list`" },
      flags: client,
      text: ({ state, resent }) => `Bulk resend ${state}; deliveries resent: ${resent}`,
    }),
  },
)

const countText = ({ matched, mayMatchMore }: ResendCount): string =>
  mayMatchMore ? `at least ${matched}` : `${matched}`
