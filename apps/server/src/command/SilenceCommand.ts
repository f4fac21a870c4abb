import { Command } from "commander"
import { SilencePreviewSchema } from "@tocsin/adapters-http/internal/silences/SilencesApi"
import { isObject } from "@tocsin/domain/internal/codec/Leaves"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, callApi, type CommandContext, CommandFailed, printResponse } from "./CommandContext.ts"
import { readDefinitions } from "./DefinitionFiles.ts"

export const silenceCommand = (context: CommandContext): Command =>
  new Command("silence")
    .summary("work with alert silences")
    .description("Work with alert silences.")
    .addCommand(
      new ApiCommand("preview")
        .summary("show what an alert silence covers and when")
        .description(
          "Print when an alert silence is active, and the SLOs and open alerts that it covers now. Nothing is stored.",
        )
        .requiredOption("-f, --file <file>", "YAML or JSON file with one AlertSilence; - reads stdin")
        .projectFlag()
        .outputFlag()
        .organizationFlag()
        .urlFlag()
        .examples("  $ tocsin silence preview -f silence.yaml")
        .action((flags: PreviewFlags) => context.run(preview(flags, context))),
    )

interface PreviewFlags extends ClientFlags {
  readonly project: string
  readonly file: string
}

const preview = (flags: PreviewFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const { file, project } = flags
    const definitions = yield* readDefinitions({ file: [file] }, project)
    const silences = definitions.filter((each) => isObject(each) && each["kind"] === "AlertSilence")
    if (silences.length !== 1) {
      const message = `${file}: must have exactly one AlertSilence, not ${silences.length}`
      return yield* new CommandFailed({ message })
    }
    const response = yield* callApi(flags, context, {
      method: "POST",
      path: "/api/alertsilences/preview",
      json: silences[0],
    })
    yield* printResponse(flags, response, SilencePreviewSchema, textOf)
  })

const textOf = ({
  slos,
  hasMoreSlos,
  alerts,
  hasMoreAlerts,
  periods,
}: typeof SilencePreviewSchema.Type): string =>
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
