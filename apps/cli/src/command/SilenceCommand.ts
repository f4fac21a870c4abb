import { type SilencePreview, silences } from "@tocsin/api"
import { dateTimeToMs, durationToMs } from "@tocsin/domain/codec"
import { silenceName } from "@tocsin/domain/forms"
import { InvalidArgumentError } from "commander"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { applyObjects, objectText } from "../client/Objects.ts"
import { vendorPrefixOf } from "../config/Environment.ts"
import { apiClient, CommandFailed, printJson } from "./CommandContext.ts"
import { commands, printed, work } from "./Commands.ts"
import { readDefinition } from "./DefinitionFiles.ts"
import { client, parsed, project, required, text } from "./Flags.ts"

const textOf = ({ slos, hasMoreSlos, alerts, hasMoreAlerts, periods }: SilencePreview): string =>
  [
    periods.length === 0 ? "The silence has ended." : "Active:",
    ...periods.map(({ startTime, endTime }) => `  ${startTime} to ${endTime}`),
    `SLOs: ${slos.length}${hasMoreSlos ? "+" : ""}`,
    ...slos.map(({ project, name }) => `  ${project}/${name}`),
    `Open alerts: ${alerts.length}${hasMoreAlerts ? "+" : ""}`,
    ...alerts.map(({ metadata, spec }) =>
      [`  ${metadata.name}  ${spec.slo.name}`, spec.objective?.name, spec.alertPolicy?.name]
        .filter((part) => part !== undefined)
        .join("  "),
    ),
  ].join("\n")

const durationFrom = (given: string): string => {
  if (durationToMs(given) !== undefined) return given
  const [, count = "", isDays] = /^(\d{1,4})(d?)$/.exec(given) ?? []
  if (count === "") throw new InvalidArgumentError("It must be a duration such as 30m or 4h.")
  throw new InvalidArgumentError(
    isDays === "d"
      ? `There is no unit for days: write ${Number(count) * 24}h.`
      : `It needs a unit, such as ${count}h.`,
  )
}

/** When a silence ends that the server has accepted. */
const endOf = (now: number, length: string | undefined, until: string | undefined): string => {
  const ms = length === undefined ? undefined : durationToMs(length)
  return new Date(ms === undefined ? (until ?? now) : now + ms).toISOString()
}

export const silenceCommand = commands("work with alert silences", "Work with alert silences.", {
  create: work(
    {
      summary: "silence the alerts of an SLO from now",
      description:
        "Create an alert silence that begins now. Its alerts send no notifications until it ends. To end it earlier, delete it: `tocsin delete alertsilence NAME -p PROJECT`.",
      arguments: { slo: "name of the SLO" },
      flags: {
        for: parsed("<duration>", "how long, such as 30m or 4h (default: 1h)", durationFrom),
        until: text("<date-time>", "when it ends, instead of --for"),
        name: text("<name>", "name of the silence (default: generated)"),
        alertPolicy: text("<name>", "only alerts of this alert policy (default: all alerts of the SLO)"),
        description: text("<text>", "why alerts are silenced"),
        ...project,
        ...client,
      },
      flagOf: {
        "spec.period.duration": "for",
        "spec.period.endTime": "until",
        "spec.alertPolicy.name": "alertPolicy",
        "metadata.name": "name",
      },
      examples:
        "  $ tocsin silence create checkout-latency --for 4h -p shop\n  $ tocsin silence create checkout-latency --until 2026-02-01T09:00:00+01:00",
    },
    (given, context) =>
      Effect.gen(function* () {
        const { slo, for: duration, until, project, alertPolicy, description } = given
        const now = yield* Clock.currentTimeMillis
        if (until !== undefined && (dateTimeToMs(until) ?? Infinity) <= now)
          return yield* new CommandFailed({ message: `--until: must be in the future, but is ${until}` })
        const length = duration ?? (until === undefined ? "1h" : undefined)
        const silence = {
          apiVersion: `${vendorPrefixOf(context.environment)}/v1alpha`,
          kind: "AlertSilence",
          // It must not exist.
          revision: "0",
          metadata: { name: given.name ?? silenceName(slo, now), project },
          spec: {
            ...(description !== undefined && { description }),
            slo,
            ...(alertPolicy !== undefined && { alertPolicy: { name: alertPolicy } }),
            // With both, the server says what is wrong.
            period: {
              startTime: new Date(now).toISOString(),
              ...(length !== undefined && { duration: length }),
              ...(until !== undefined && { endTime: until }),
            },
          },
        }
        const applied = yield* applyObjects(yield* apiClient(given, context), [silence], { dryRun: false })
        yield* printJson(given, applied, ({ data }) =>
          data
            .map((each) => `${objectText(each)} ${each.outcome}; silenced until ${endOf(now, length, until)}`)
            .join("\n"),
        )
      }),
  ),
  preview: printed(silences, "previewSilence", {
    summary: "show what an alert silence covers and when",
    description:
      "Print when an alert silence is active, and the SLOs and open alerts that it covers now. Nothing is stored.",
    flags: {
      file: required("<file>", "YAML or JSON file with one AlertSilence; - reads stdin", "f"),
      ...project,
      ...client,
    },
    examples: "  $ tocsin silence preview -f silence.yaml",
    request: ({ file, project }) =>
      Effect.map(readDefinition("AlertSilence", file, project), (body) => ({ body })),
    text: textOf,
  }),
})
