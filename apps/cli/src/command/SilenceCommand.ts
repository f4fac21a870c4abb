import { Command } from "commander"
import { silences, type SilencePreview } from "@tocsin/api"
import * as Effect from "effect/Effect"
import type { ClientFlags } from "../client/ClientConfig.ts"
import { ApiCommand, type CommandContext, printJson, resourceClient } from "./CommandContext.ts"
import { readDefinition } from "./DefinitionFiles.ts"

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
        .clientFlags()
        .examples("  $ tocsin silence preview -f silence.yaml")
        .action((flags: PreviewFlags) => context.run(preview(flags, context))),
    )

interface PreviewFlags extends ClientFlags {
  readonly project: string
  readonly file: string
}

const preview = (flags: PreviewFlags, context: CommandContext) =>
  Effect.gen(function* () {
    const body = yield* readDefinition("AlertSilence", flags.file, flags.project)
    const api = yield* resourceClient(silences, flags, context)
    yield* printJson(flags, yield* api.previewSilence({ body }), textOf)
  })

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
